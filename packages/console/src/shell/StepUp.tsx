import { useEffect, useState } from "preact/hooks"
import { confirmBy, sendForm } from "../calls/Call.ts"
import type { Refusal } from "../calls/Refusal.ts"
import { Dialog } from "../widgets/Dialog.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Problem } from "../widgets/Problem.tsx"

/** Asks the user to authenticate again when a call needs step-up (RFC 9470). */
export const StepUp = () => {
  const [answer, setAnswer] = useState<((isProven: boolean) => void) | null>(null)
  const [kind, setKind] = useState<"code" | "password">("code")
  const [proof, setProof] = useState("")
  const [problem, setProblem] = useState<Refusal | null>(null)
  useEffect(() => confirmBy(() => new Promise((resolve) => setAnswer(() => resolve))), [])
  if (answer === null) return null

  const close = (isProven: boolean) => {
    setProof("")
    setProblem(null)
    setAnswer(null)
    answer(isProven)
  }
  const submit = (event: Event) => {
    event.preventDefault()
    sendForm("/account/step-up", { [kind]: proof }).then(() => close(true), setProblem)
  }
  return (
    <Dialog title="Confirm that it is you" onClose={() => close(false)}>
      <form onSubmit={submit}>
        <p>Changes of secrets and logins need a confirmation that is no older than 15 minutes.</p>
        {kind === "code" ? (
          <TextField label="Code of your authenticator app" value={proof} onChange={setProof} maxLength={12} required />
        ) : (
          <TextField label="Password" type="password" value={proof} onChange={setProof} maxLength={128} required />
        )}
        <Problem error={problem} />
        <div class="actions">
          <button type="submit" class="main">
            Confirm
          </button>
          <button type="button" onClick={() => setKind(kind === "code" ? "password" : "code")}>
            {kind === "code" ? "I have no app" : "I have an app"}
          </button>
          <button type="button" onClick={() => close(false)}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
