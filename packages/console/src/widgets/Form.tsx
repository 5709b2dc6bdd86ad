import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { Refusal } from "../calls/Refusal.ts"
import { useUnsaved } from "../shell/UnsavedForms.ts"
import { Button } from "./Button.tsx"
import { Problem } from "./Problem.tsx"
import { useSubmission } from "./Submission.ts"

/** The form of a change: the fields, the refusal, the button that sends it, and the way out. */
export const Form = ({
  action,
  change: { error, isPending },
  children,
  disabled = false,
  leaving = "Cancel",
  onSubmit,
  out,
  stays = false
}: {
  /** The label of the button, such as "Save". */
  readonly action: string
  readonly change: { readonly error: Refusal | null; readonly isPending: boolean }
  readonly disabled?: boolean
  readonly onSubmit: () => void
  /** The path of the screen to return to, or the function that closes the dialog. */
  readonly out: string | (() => void)
  /** The label of the way out. */
  readonly leaving?: string
  /** Whether the form stays open after success, and can be sent again. */
  readonly stays?: boolean
  readonly children: ComponentChildren
}) => {
  const once = useSubmission({ error, isPending }, stays)
  const [isTyped, setIsTyped] = useState(false)
  const wasPending = useRef(false)
  useEffect(() => {
    if (wasPending.current && !isPending && error === null) setIsTyped(false)
    wasPending.current = isPending
  }, [isPending, error])
  useUnsaved(isTyped)
  return (
    <form
      class={typeof out === "string" ? "form" : undefined}
      onInput={() => setIsTyped(true)}
      onSubmit={(event) => {
        event.preventDefault()
        once(onSubmit)
      }}
    >
      {children}
      <Problem error={error} />
      <div class="actions">
        <Button type="submit" class="main" isBusy={isPending} disabled={disabled}>
          {action}
        </Button>
        {typeof out === "string" ? (
          <a class="button" href={out} data-drops>
            {leaving}
          </a>
        ) : (
          <button type="button" onClick={out}>
            {leaving}
          </button>
        )}
      </div>
    </form>
  )
}
