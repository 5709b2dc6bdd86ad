import { type ComponentType, createElement, type FunctionComponent } from "preact"
import { useEffect, useState } from "preact/hooks"
import { withoutAnswer } from "../calls/Refusal.ts"
import { Problem } from "../widgets/Problem.tsx"

/**
 * A part of a screen in a script of its own, which `load` imports when the part is first shown. After an upgrade, the
 * server no longer has the scripts that an older page names: the part says so.
 */
export const lazyPart = <Props extends object>(load: () => Promise<ComponentType<Props>>): FunctionComponent<Props> => {
  let loaded: ComponentType<Props> | undefined
  return (props) => {
    const [state, setState] = useState<"loading" | "loaded" | "failed">("loading")
    useEffect(() => {
      if (loaded !== undefined) return
      load().then(
        (component) => {
          loaded = component
          setState("loaded")
        },
        () => setState("failed")
      )
    }, [])
    if (loaded !== undefined) return createElement(loaded, props)
    const text = "A part of this screen could not be loaded. Load the page again."
    return state === "failed" ? <Problem error={withoutAnswer(text)} /> : null
  }
}
