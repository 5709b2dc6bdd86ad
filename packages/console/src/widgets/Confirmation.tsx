import type { ComponentChildren } from "preact"
import type { Refusal } from "../calls/Refusal.ts"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { Problem } from "./Problem.tsx"
import { useSubmission } from "./Submission.ts"

/** Asks before a change that matters. `title` names the thing that changes. Cancel has the focus. */
export const Confirmation = ({
  action,
  change: { error, isPending },
  children,
  onClose,
  onConfirm,
  title,
  tone = "danger"
}: {
  readonly title: string
  /** The label of the button, such as "Revoke". */
  readonly action: string
  readonly change: { readonly error: Refusal | null; readonly isPending: boolean }
  /** `main` for a change that takes nothing away. */
  readonly tone?: "danger" | "main"
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children: ComponentChildren
}) => {
  const once = useSubmission({ error, isPending })
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Problem error={error} />
      <div class="actions">
        <Button class={tone} isBusy={isPending} onClick={() => once(onConfirm)}>
          {action}
        </Button>
        <button type="button" autofocus onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  )
}
