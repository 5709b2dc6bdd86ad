import { useEffect, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { Dialog } from "../widgets/Dialog.tsx"
import { releaseAll, unsavedAt } from "./UnsavedForms.ts"

let onBack: (event: PopStateEvent) => void = () => {}

// Before the router's own listener, which would remove the form: this module is loaded first.
addEventListener("popstate", (event) => onBack(event), { capture: true })

/** A way out that waits for the person's answer. */
type WayOut = () => void

/**
 * Asks before a form with something typed is left: by a link, by the browser's Back, or by closing the tab. Buttons of
 * the form itself do not ask, because they say what they do.
 */
export const Unsaved = () => {
  const { route } = useLocation()
  const [wayOut, setWayOut] = useState<WayOut | null>(null)
  useEffect(() => {
    const click = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a") : null
      if (
        link === null ||
        unsavedAt() === undefined ||
        event.ctrlKey ||
        event.metaKey ||
        event.shiftKey ||
        event.button !== 0
      )
        return
      const isElsewhere = link.target === "_blank" || link.hasAttribute("download") || link.hash !== ""
      if (isElsewhere || link.dataset["drops"] !== undefined) return
      event.preventDefault()
      event.stopImmediatePropagation()
      const { href, origin, pathname, search } = link
      setWayOut(() => () => (origin === location.origin ? route(pathname + search) : location.assign(href)))
    }
    const back = (event: PopStateEvent) => {
      const address = unsavedAt()
      if (address === undefined) return
      event.stopImmediatePropagation()
      history.pushState(null, "", address) // Back has just left it
      setWayOut(() => () => history.back())
    }
    const close = (event: BeforeUnloadEvent) => {
      if (unsavedAt() !== undefined) event.preventDefault()
    }
    onBack = back
    addEventListener("click", click, { capture: true })
    addEventListener("beforeunload", close)
    return () => {
      onBack = () => {}
      removeEventListener("click", click, { capture: true })
      removeEventListener("beforeunload", close)
    }
  }, [])
  if (wayOut === null) return null
  const stay = () => setWayOut(null)
  return (
    <Dialog title="Leave without saving?" onClose={stay}>
      <p>What you typed is not saved, and is lost if you leave.</p>
      <div class="actions">
        <button
          type="button"
          class="danger"
          onClick={() => {
            releaseAll()
            stay()
            wayOut()
          }}
        >
          Leave
        </button>
        <button type="button" autofocus onClick={stay}>
          Stay
        </button>
      </div>
    </Dialog>
  )
}
