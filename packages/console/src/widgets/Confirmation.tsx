import type { ComponentChildren } from "preact"
import type { Refusal } from "../calls/Refusal.ts"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { Problem } from "./Problem.tsx"

/** Asks before a change that cannot be undone. `title` names the thing that changes. */
export const Confirmation = ({
  action,
  change: { error, isPending },
  children,
  onClose,
  onConfirm,
  title
}: {
  readonly title: string
  /** The label of the button, such as "Revoke". */
  readonly action: string
  readonly change: { readonly error: Refusal | null; readonly isPending: boolean }
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children: ComponentChildren
}) => (
  <Dialog title={title} onClose={onClose}>
    {children}
    <Problem error={error} />
    <div class="actions">
      <Button class="danger" isBusy={isPending} onClick={onConfirm}>
        {action}
      </Button>
      <button type="button" onClick={onClose}>
        Cancel
      </button>
    </div>
  </Dialog>
)
