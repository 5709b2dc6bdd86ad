import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { Refusal } from "../calls/Refusal.ts"
import { Dialog } from "./Dialog.tsx"
import { Form } from "./Form.tsx"

/** A form in a dialog. Escape drops nothing that was typed: it says how to save it or leave. */
export const FormDialog = ({
  action,
  change,
  children,
  disabled = false,
  isTyped,
  onClose,
  onSubmit,
  title
}: {
  readonly title: string
  readonly action: string
  readonly change: { readonly error: Refusal | null; readonly isPending: boolean }
  readonly disabled?: boolean
  /** Whether the fields hold something that is not sent yet. */
  readonly isTyped: boolean
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ComponentChildren
}) => {
  const [wantsToLeave, setWantsToLeave] = useState(false)
  return (
    <Dialog title={title} onClose={onClose} onEscape={isTyped ? () => setWantsToLeave(true) : undefined}>
      <Form action={action} change={change} disabled={disabled} onSubmit={onSubmit} out={onClose}>
        {children}
        {wantsToLeave && isTyped ? (
          <p class="notice" role="alert" ref={(notice) => notice?.scrollIntoView({ block: "nearest" })}>
            Your changes are not saved. Press “{action}”, or “Cancel” to drop them.
          </p>
        ) : null}
      </Form>
    </Dialog>
  )
}
