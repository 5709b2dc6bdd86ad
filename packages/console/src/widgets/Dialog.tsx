import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"

/** A modal dialog. Escape closes it, and the focus returns to the control that opened it. */
export const Dialog = ({
  children,
  onClose,
  title
}: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const headingId = useId()
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    // A dialog that leaves the page closes without an event, and without returning the focus.
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} aria-labelledby={headingId} onClose={onClose}>
      <h2 id={headingId}>{title}</h2>
      {children}
    </dialog>
  )
}
