import { QueryClientProvider } from "@tanstack/preact-query"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { LocationProvider, Route, Router } from "preact-iso/router"
import { useMe } from "../calls/Me.ts"
import { makeQueryClient, useRead } from "../calls/Queries.ts"
import { isLoggedOut } from "../calls/Refusal.ts"
import { Announcement } from "../widgets/Announcement.tsx"
import { OpenDialogs } from "../widgets/Opener.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { TimeZoneProvider } from "../widgets/Time.tsx"
import { logInFirst } from "./DeepLink.ts"
import { FactorReset } from "./FactorReset.tsx"
import { focusMain } from "./Focus.ts"
import { Keys } from "./Keys.tsx"
import { Navigation } from "./Navigation.tsx"
import { Screen } from "./Screen.tsx"
import { addressOf, consoleRoot, screens } from "./Screens.ts"
import { Search } from "./Search.tsx"
import { emptyPage, SessionEnd, SessionGone } from "./SessionEnd.tsx"
import { StepUp } from "./StepUp.tsx"
import { Unsaved } from "./Unsaved.tsx"
import { releaseAll } from "./UnsavedForms.ts"

const NotFound = () => (
  <Screen title="There is no such screen">
    <p>
      <a href={consoleRoot}>Go to the first screen</a>
    </p>
  </Screen>
)

const Screens = ({ onGone }: { readonly onGone: () => void }) => {
  const me = useMe()
  const { error, refetch } = useRead("GET /me", {})
  const isOut = me === undefined && isLoggedOut(error)
  useEffect(() => {
    if (isOut) logInFirst()
  }, [isOut])
  const first = useRef<string | undefined>(undefined)
  first.current ??= me?.account
  const isAnother = me !== undefined && me.account !== first.current
  useEffect(() => {
    if (!isAnother) return
    // somebody else has logged in by another tab
    emptyPage()
    location.reload()
  }, [isAnother])
  if (isAnother) return null
  if (me === undefined) return <Problem error={error} onRetry={refetch} />
  return (
    <TimeZoneProvider value={me.tenant.timeZone}>
      <div class="shell">
        <a class="skip" href="#main">
          Skip the menu
        </a>
        <Navigation me={me} />
        <FactorReset me={me} />
        <Router onRouteChange={() => setTimeout(focusMain)}>
          {screens.map((screen) => (
            <Route key={screen.path} path={addressOf(screen)} component={screen.component} />
          ))}
          <Route default component={NotFound} />
        </Router>
        <OpenDialogs />
        <StepUp />
        <SessionEnd me={me} onGone={onGone} />
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
  const [isGone, setIsGone] = useState(false)
  if (isGone) {
    releaseAll()
    client.clear() // no data of the session stays in the page
    return <SessionGone />
  }
  return (
    <QueryClientProvider client={client}>
      <LocationProvider scope={consoleRoot}>
        <Screens onGone={() => setIsGone(true)} />
      </LocationProvider>
    </QueryClientProvider>
  )
}
