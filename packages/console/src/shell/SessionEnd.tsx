import { useEffect, useState } from "preact/hooks"
import { accountNow, logInBy, sendForm } from "../calls/Call.ts"
import type { Me } from "../calls/Me.ts"
import type { Refusal } from "../calls/Refusal.ts"
import { Dialog } from "../widgets/Dialog.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Problem } from "../widgets/Problem.tsx"

type Step = "password" | "code" | "recovery" | "enrol"

/** The path, the field and the label of each step that has a form. */
const forms = {
  password: { path: "/login", field: "password", label: "Password", type: "password" },
  code: { path: "/login/code", field: "code", label: "Code of your authenticator app", type: "text" },
  recovery: { path: "/login/recovery", field: "code", label: "Recovery code", type: "text" }
} as const

/** Logs in again in another tab: through the organization, or to set up a second factor. */
const OtherTab = ({ children, href }: { readonly href: string; readonly children: string }) => (
  <a href={href} target="_blank" rel="noopener">
    {children}
  </a>
)

/** The steps of a login in place. `onDone` is called after each that may have been the last. */
const LogIn = ({ email, onDone }: { readonly email: string; readonly onDone: () => void }) => {
  const [step, setStep] = useState<Step>("password")
  const [proof, setProof] = useState("")
  const [problem, setProblem] = useState<Refusal | null>(null)
  const [isSent, setIsSent] = useState(false)
  const go = (next: Step) => {
    setProof("")
    setProblem(null)
    setStep(next)
  }
  if (step === "enrol") {
    return (
      <p>
        Your account needs a second factor now. <OtherTab href="/login">Set it up in another tab</OtherTab>, then come
        back.
      </p>
    )
  }
  const { field, label, path, type } = forms[step]
  const submit = (event: Event) => {
    event.preventDefault()
    if (isSent) return
    setIsSent(true)
    sendForm(path, { email, [field]: proof })
      .then((answer) => {
        const { next } = answer as { readonly next: "done" | "code" | "enrol" }
        if (next === "done") onDone()
        else go(next)
      }, setProblem)
      .finally(() => setIsSent(false))
  }
  return (
    <form onSubmit={submit}>
      <TextField
        key={step}
        label={label}
        type={type}
        value={proof}
        onChange={setProof}
        maxLength={128}
        autocomplete={step === "password" ? "current-password" : "one-time-code"}
        hasFocus
        required
      />
      <Problem error={problem} />
      <div class="actions">
        <button type="submit" class="main">
          Log in
        </button>
        {step === "code" ? (
          <button type="button" onClick={() => go("recovery")}>
            Use a recovery code
          </button>
        ) : null}
      </div>
    </form>
  )
}

/** Hides what is on the screen, which belongs to the person who has left. It stays, with what was typed. */
const useHiddenScreen = (isHidden: boolean) =>
  useEffect(() => {
    document.documentElement.classList.toggle("locked", isHidden)
    return () => document.documentElement.classList.remove("locked")
  }, [isHidden])

/**
 * Asks the person to log in again when the session has ended. The screen stays with what was typed, and every call that
 * was refused is made again. Another person gets a new page instead.
 */
export const SessionEnd = ({ me: { account, email } }: { readonly me: Me }) => {
  const [answers, setAnswers] = useState<ReadonlyArray<(isLoggedIn: boolean) => void>>([])
  const hasEnded = answers.length > 0
  useHiddenScreen(hasEnded)
  useEffect(() => {
    logInBy(() => new Promise((resolve) => setAnswers((before) => [...before, resolve])))
    return () => logInBy(() => Promise.resolve(false))
  }, [])
  const check = async () => {
    const now = await accountNow()
    if (now === null) return
    if (now !== account) return location.reload()
    for (const answer of answers) answer(true)
    setAnswers([])
  }
  useEffect(() => {
    // another tab may have logged in meanwhile
    if (!hasEnded) return
    addEventListener("focus", check)
    return () => removeEventListener("focus", check)
  }, [answers])
  if (!hasEnded) return null
  return (
    <Dialog title="Your session has ended" kind="login" onClose={() => {}} onEscape={() => {}}>
      <p>
        It ends after 30 minutes without use, after 12 hours, or when it is ended from another place. What you typed is
        still there: log in again as <strong>{email}</strong> to go on.
      </p>
      {email === null ? null : <LogIn email={email} onDone={check} />}
      <p>
        <OtherTab href="/login/sso">Log in through your organization in another tab</OtherTab>, then come back.
      </p>
      <div class="actions">
        <button
          type="button"
          onClick={() => {
            document.getElementById("console")?.remove() // no data of the session stays in the page
            location.replace("/login")
          }}
        >
          Leave, and lose what I typed
        </button>
      </div>
    </Dialog>
  )
}
