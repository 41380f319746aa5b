// Keeps what breaks while it is drawn from taking the rest of the page with it.
import { Component, type ReactNode } from 'react';

interface BrokenBoundaryProps {
  /** Stands in place of what broke. */
  readonly fallback: ReactNode;
  readonly children: ReactNode;
}

export class BrokenBoundary extends Component<BrokenBoundaryProps, { readonly isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    return this.state.isBroken ? this.props.fallback : this.props.children;
  }
}
