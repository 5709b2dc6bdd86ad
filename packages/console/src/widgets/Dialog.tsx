import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import { focusMain } from "../shell/Focus.ts"

/** A modal dialog. Escape closes it, and the focus returns to the control that opened it. */
export const Dialog = ({
  children,
  onCancel,
  onClose,
  title
}: {
  readonly title: string
  readonly onClose: () => void
  /** Called for Escape. It may prevent that the dialog closes. */
  readonly onCancel?: (event: Event) => void
  readonly children: ComponentChildren
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const headingId = useId()
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    // A dialog that leaves the page closes without an event, and without returning the focus.
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
      else focusMain() // the row of the opener is gone, as after a revocation
    }
  }, [])
  return (
    <dialog ref={dialog} aria-labelledby={headingId} onClose={onClose} onCancel={onCancel}>
      <h2 id={headingId}>{title}</h2>
      {children}
    </dialog>
  )
}
