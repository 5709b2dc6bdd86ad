import { useEffect, useState } from "preact/hooks"
import { Dialog } from "../widgets/Dialog.tsx"

const keys = [
  ["/", "Search in the list"],
  ["Ctrl K", "Search workers, applicants and credentials"],
  ["?", "Show the keys"],
  ["Esc", "Close a dialog"]
] as const

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches("input, select, textarea, [contenteditable]")

/** The keys that work on every screen. */
export const Keys = () => {
  const [isShown, setIsShown] = useState(false)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === "?") setIsShown(true)
      if (event.key !== "/") return
      event.preventDefault()
      document.querySelector<HTMLInputElement>("[data-search]")?.focus()
    }
    addEventListener("keydown", press)
    return () => removeEventListener("keydown", press)
  }, [])
  if (!isShown) return null
  return (
    <Dialog title="Keys" onClose={() => setIsShown(false)}>
      <dl class="facts">
        {keys.map(([key, words]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => setIsShown(false)}>
        Close
      </button>
    </Dialog>
  )
}
