import type { ComponentChildren } from "preact"
import type { CallName, Input } from "../calls/Contract.ts"
import { useChange } from "../calls/Queries.ts"
import { announcing } from "./Announcement.tsx"
import { Confirmation } from "./Confirmation.tsx"

/** Asks before a call that changes something. After it, `told` is announced, and the dialog closes. */
export const ConfirmedCall = <Name extends CallName>({
  call,
  input,
  onDone,
  told,
  ...dialog
}: {
  readonly call: Name
  readonly input: Input<Name>
  readonly told: string
  readonly title: string
  /** The label of the button. */
  readonly action: string
  readonly tone?: "danger" | "main"
  readonly onClose: () => void
  /** Called after success instead of `onClose`. */
  readonly onDone?: (() => void) | undefined
  readonly children: ComponentChildren
}) => {
  // The answers that are read again may remove the dialog.
  const change = useChange(call, announcing(told, onDone ?? dialog.onClose).onSuccess)
  return <Confirmation {...dialog} change={change} onConfirm={() => change.mutate(input)} />
}
