import { useState } from "preact/hooks"

/** Copies a text to the clipboard. `what` names it for people who cannot see it. */
export const Copy = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready")
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState("copied"),
      () => setState("failed")
    )
  return (
    <button type="button" class="small" aria-label={`Copy ${what}`} onClick={copy}>
      {state === "ready" ? "Copy" : state === "copied" ? "Copied" : "Select it and copy by hand"}
    </button>
  )
}
