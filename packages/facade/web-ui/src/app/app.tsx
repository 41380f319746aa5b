// The surroundings of every page: data, session, live updates, messages, the frame around the page, and the page of the address.
import { type ReactNode, Suspense } from 'react';
import { Redirect, Route, Router, Switch, useSearch } from 'wouter';
import { BrokenBoundary } from './components/broken-boundary.js';
import { Button } from './components/button.js';
import { Loading } from './components/states.js';
import { ToastProvider } from './components/toasts.js';
import { ClockProvider } from './data/clock.js';
import { LiveProvider } from './data/live.js';
import { OperatorProvider } from './data/operator.js';
import { SessionProvider, useIsAdmin } from './data/session.js';
import { NotForRolePage, NotFoundPage } from './pages/not-found.js';
import { pages } from './pages.js';
import { Shell } from './shell/shell.js';

export function App() {
  return (
    <Router base={base()}>
      <SessionProvider>
        <ToastProvider>
          <LiveProvider>
            <ClockProvider>
              <OperatorProvider>
                <Shell>
                  <BrokenBoundary fallback={<Reload />}>
                    <Suspense fallback={<Loading what="the page" />}>
                      <Switch>
                        {pages.map(({ path, page: Page, isForAdmins }) => (
                          <Route key={path} path={path === '/' ? path : `${path}/*?`}>
                            <ForRole isForAdmins={isForAdmins === true}>
                              <Page />
                            </ForRole>
                          </Route>
                        ))}
                        <Route path="/index.html">
                          <Redirect to="/" />
                        </Route>
                        <Route path="/changes">
                          <ToChanges />
                        </Route>
                        <Route>
                          <NotFoundPage />
                        </Route>
                      </Switch>
                    </Suspense>
                  </BrokenBoundary>
                </Shell>
              </OperatorProvider>
            </ClockProvider>
          </LiveProvider>
        </ToastProvider>
      </SessionProvider>
    </Router>
  );
}

interface ForRoleProps {
  readonly isForAdmins: boolean;
  readonly children: ReactNode;
}

/** Shows a note instead of a page that the role may not read, also where its address is opened directly. */
function ForRole({ isForAdmins, children }: ForRoleProps) {
  const isAdmin = useIsAdmin();
  return isForAdmins && !isAdmin ? <NotForRolePage /> : children;
}

/** The address that the changes had as a page of their own. */
function ToChanges() {
  const search = useSearch();
  return <Redirect to={`/safety/changes${search === '' ? '' : `?${search}`}`} replace />;
}

/** After an update of the service an open tab requests files that no longer exist. */
function Reload() {
  return (
    <div className="problem" role="alert">
      <p>This page cannot be shown. The service may have been updated since it was opened.</p>
      <Button onClick={() => location.reload()}>Load it again</Button>
    </div>
  );
}

/** The service answers with the app at `/` as well; its places are below `/ui`. */
function base(): string {
  if (!/^\/ui(\/|$)/.test(location.pathname)) history.replaceState(null, '', '/ui');
  return '/ui';
}
