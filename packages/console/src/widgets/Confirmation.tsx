import type { ComponentChildren } from "preact"
import type { Refusal } from "../calls/Refusal.ts"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { Problem } from "./Problem.tsx"

/** Asks before a change that cannot be undone. `title` names the thing that changes. */
export const Confirmation = ({
  action,
  children,
  error,
  isBusy,
  onClose,
  onConfirm,
  title
}: {
  readonly title: string
  /** The label of the button, such as "Revoke". */
  readonly action: string
  readonly isBusy: boolean
  readonly error: Refusal | null
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children: ComponentChildren
}) => (
  <Dialog title={title} onClose={onClose}>
    {children}
    <Problem error={error} />
    <div class="actions">
      <Button class="danger" isBusy={isBusy} onClick={onConfirm}>
        {action}
      </Button>
      <button type="button" onClick={onClose}>
        Cancel
      </button>
    </div>
  </Dialog>
)
