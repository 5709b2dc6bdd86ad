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
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])
  return (
    <dialog ref={dialog} aria-labelledby={headingId} onClose={onClose}>
      <h2 id={headingId}>{title}</h2>
      {children}
    </dialog>
  )
}
