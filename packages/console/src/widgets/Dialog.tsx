import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import { focusMain } from "../shell/Focus.ts"

/** A modal dialog. Escape closes it, and the focus returns to the control that opened it. */
export const Dialog = ({
  children,
  kind,
  onClose,
  onEscape,
  title
}: {
  readonly title: string
  /** Marks the dialog of a login, which stays in sight when everything else is hidden. */
  readonly kind?: "login"
  readonly onClose: () => void
  /** Called for Escape instead of closing. */
  readonly onEscape?: (() => void) | undefined
  readonly children: ComponentChildren
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const headingId = useId()
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    // Removing the dialog element fires no close event and does not return the focus.
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
      else focusMain() // the opener was removed, for example with the row of a revoked token
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={headingId}
      data-kind={kind}
      onCancel={(event) => {
        if (onEscape === undefined) return
        event.preventDefault()
        onEscape()
      }}
      onClose={() => {
        if (onEscape === undefined) return onClose()
        // A browser closes a dialog at the second Escape, even if the first one was prevented.
        dialog.current?.showModal()
        onEscape()
      }}
    >
      <h2 id={headingId}>{title}</h2>
      {children}
    </dialog>
  )
}
