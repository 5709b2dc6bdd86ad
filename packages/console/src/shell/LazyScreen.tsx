import { type ComponentType, createElement, type FunctionComponent } from "preact"
import { useEffect, useLayoutEffect, useState } from "preact/hooks"
import { call } from "../calls/Call.ts"
import { type Refusal, withoutAnswer } from "../calls/Refusal.ts"
import { Problem } from "../widgets/Problem.tsx"
import { Skeleton } from "../widgets/Skeleton.tsx"
import { focusMain } from "./Focus.ts"

interface Parameters {
  readonly id: string
}

/** A screen whose script is loaded when the screen is opened. */
export type LazyScreen = FunctionComponent<Parameters> & {
  /** Loads the script before the screen is opened. */
  readonly preload: () => Promise<void>
}

/** A page that has not shown a screen does not reload by itself, so reloads do not repeat. */
let hasShownScreen = false

/** Returns the refusal of a server that cannot be reached, or null. */
const absence = (): Promise<Refusal | null> =>
  call("GET /me", {}).then(
    () => null,
    (refusal: Refusal) => (refusal.status === 0 || refusal.status >= 500 ? refusal : null)
  )

/**
 * A screen in a script of its own, which `load` imports. After an upgrade, the server no longer has the scripts that an
 * older page names: such a page reloads.
 */
export const lazyScreen = (load: () => Promise<ComponentType<Parameters>>): LazyScreen => {
  let loaded: ComponentType<Parameters> | undefined
  const preload = async (): Promise<void> => {
    loaded = await load()
  }
  const Lazy: FunctionComponent<Parameters> = (parameters) => {
    const shown = loaded // the script may arrive between this and the effect
    const [attempt, setAttempt] = useState(0)
    const [refusal, setRefusal] = useState<Refusal | null>(null)
    const [arrival, setArrival] = useState({ hadFocus: false })

    useEffect(() => {
      if (shown !== undefined) return
      let isOpen = true
      const explain = async () => {
        const absent = await absence()
        if (!isOpen) return
        if (absent === null && (hasShownScreen || attempt > 0)) location.reload()
        else setRefusal(absent ?? withoutAnswer("This screen could not be loaded. Try again."))
      }
      setRefusal(null)
      preload().then(() => isOpen && setArrival({ hadFocus: document.activeElement?.id === "main" }), explain)
      return () => {
        isOpen = false
      }
    }, [attempt])
    useLayoutEffect(() => {
      if (arrival.hadFocus) focusMain()
    }, [arrival])

    if (shown !== undefined) {
      hasShownScreen = true
      return createElement(shown, parameters)
    }
    return (
      <main id="main" tabIndex={-1}>
        {refusal === null ? <Skeleton /> : <Problem error={refusal} onRetry={() => setAttempt(attempt + 1)} />}
      </main>
    )
  }
  return Object.assign(Lazy, { preload })
}
