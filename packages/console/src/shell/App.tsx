import { QueryClientProvider } from "@tanstack/preact-query"
import { useEffect, useMemo } from "preact/hooks"
import { LocationProvider, Route, Router } from "preact-iso/router"
import { useMe } from "../calls/Me.ts"
import { makeQueryClient, useRead } from "../calls/Queries.ts"
import { isLoggedOut } from "../calls/Refusal.ts"
import { Announcement } from "../widgets/Announcement.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { TimeZoneProvider } from "../widgets/Time.tsx"
import { logInFirst } from "./DeepLink.ts"
import { focusMain } from "./Focus.ts"
import { Keys } from "./Keys.tsx"
import { Navigation } from "./Navigation.tsx"
import { Screen } from "./Screen.tsx"
import { addressOf, consoleRoot, screens } from "./Screens.ts"
import { Search } from "./SearchBox.tsx"
import { SessionEnd } from "./SessionEnd.tsx"
import { StepUp } from "./StepUp.tsx"
import { Unsaved } from "./Unsaved.tsx"

const NotFound = () => (
  <Screen title="There is no such screen">
    <p>
      <a href={consoleRoot}>Go to the first screen</a>
    </p>
  </Screen>
)

const Screens = () => {
  const me = useMe()
  const { error, refetch } = useRead("GET /me", {})
  const isOut = me === undefined && isLoggedOut(error)
  useEffect(() => {
    if (isOut) logInFirst()
  }, [isOut])
  if (me === undefined) return <Problem error={error} onRetry={refetch} />
  return (
    <TimeZoneProvider value={me.tenant.timeZone}>
      <div class="shell">
        <a class="skip" href="#main">
          Skip the menu
        </a>
        <Navigation me={me} />
        <Router onRouteChange={() => setTimeout(focusMain)}>
          {screens.map((screen) => (
            <Route key={screen.path} path={addressOf(screen)} component={screen.component} />
          ))}
          <Route default component={NotFound} />
        </Router>
        <StepUp />
        <SessionEnd me={me} />
        <Unsaved />
        <Keys />
        <Search />
        <Announcement />
      </div>
    </TimeZoneProvider>
  )
}

/** The console. */
export const App = () => {
  const client = useMemo(makeQueryClient, [])
  return (
    <QueryClientProvider client={client}>
      <LocationProvider scope={consoleRoot}>
        <Screens />
      </LocationProvider>
    </QueryClientProvider>
  )
}
