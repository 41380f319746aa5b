// Keeps what breaks while it is drawn from taking the rest of the page with it.
import { Component, type ReactNode } from 'react';

interface BrokenBoundaryProps {
  /** Stands in place of what broke. */
  readonly fallback: ReactNode;
  /** The fallback is for data of others that cannot be drawn, which is no fault of the console and not logged as one. */
  readonly isExpected?: boolean;
  readonly children: ReactNode;
}

export class BrokenBoundary extends Component<BrokenBoundaryProps, { readonly isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  /** The handler that React calls with an error that a boundary has caught. */
  static report(error: unknown, { errorBoundary }: { readonly errorBoundary?: Component | undefined }): void {
    if (errorBoundary instanceof BrokenBoundary && errorBoundary.props.isExpected === true) return;
    reportError(error);
  }

  override render() {
    return this.state.isBroken ? this.props.fallback : this.props.children;
  }
}
