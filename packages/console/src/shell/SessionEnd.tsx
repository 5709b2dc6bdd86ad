import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { accountNow, logInBy, sendForm } from "../calls/Call.ts"
import type { Me } from "../calls/Me.ts"
import type { Refusal } from "../calls/Refusal.ts"
import { Dialog } from "../widgets/Dialog.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { logInFirst } from "./DeepLink.ts"
import { releaseAll, unsavedAt } from "./UnsavedForms.ts"

type Step = "password" | "code" | "recovery" | "enrolment"

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
const LogIn = ({ email, onDone }: { readonly email: string; readonly onDone: () => Promise<void> }) => {
  const [step, setStep] = useState<Step>("password")
  const [proof, setProof] = useState("")
  const [problem, setProblem] = useState<Refusal | null>(null)
  const [isSent, setIsSent] = useState(false)
  const go = (next: Step) => {
    setProof("")
    setProblem(null)
    setStep(next)
  }
  if (step === "enrolment") {
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
      .then((answer): Promise<void> | undefined => {
        const { next } = answer as { readonly next: "done" | "code" | "enrolment" }
        if (next === "done") return onDone()
        go(next)
        return undefined
      })
      .catch((refusal: Refusal) => setProblem(refusal))
      .finally(() => setIsSent(false))
  }
  return (
    <form onSubmit={submit}>
      {/* A password manager fills the password of this account. */}
      <input type="hidden" autocomplete="username" value={email} />
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
      <p class="unseen" role="status">
        {step === "password" ? "" : `Next: ${label}`}
      </p>
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
        {step === "password" ? null : (
          <button type="button" onClick={() => go("password")}>
            Start again
          </button>
        )}
      </div>
    </form>
  )
}

/** How long a form is kept for the person, in milliseconds. Then the page is emptied. */
const keptMillis = 15 * 60_000

/** The class of a page that is hidden until its person has logged in again. */
const locked = "locked"

/** Whether the screen is hidden, because the session of its person has ended. */
export const isLocked = (): boolean => document.documentElement.classList.contains(locked)

/** Removes all data of the session from the page, before it is left. */
export const emptyPage = (): void => {
  releaseAll()
  document.getElementById("console")?.remove()
}

/** Hides the screen of the person whose session has ended. The forms keep their text. */
const useHiddenScreen = (isHidden: boolean) =>
  useLayoutEffect(() => {
    if (!isHidden) return
    const { title } = document
    document.documentElement.classList.add(locked)
    document.title = "Workforce Compliance"
    return () => {
      document.documentElement.classList.remove(locked)
      document.title = title
    }
  }, [isHidden])

/** The calls that wait for a login. */
const waiting = new Set<(isLoggedIn: boolean) => void>()

/**
 * Asks the person to log in again when the session has ended and a form holds something that was typed. The screen stays,
 * and every call that was refused is made again. Another person gets a new page instead. Without such a form, `onGone`
 * is called: then nothing is worth keeping.
 */
export const SessionEnd = ({ me, onGone }: { readonly me: Me; readonly onGone: () => void }) => {
  const { account, email } = useRef(me).current // of the screen, even if another person logs in meanwhile
  const [hasEnded, setHasEnded] = useState(false)
  const [problem, setProblem] = useState<Refusal | null>(null)
  useHiddenScreen(hasEnded)
  useEffect(() => {
    logInBy(
      () =>
        new Promise((resolve) => {
          waiting.add(resolve)
          if (unsavedAt() === undefined) onGone()
          else setHasEnded(true)
        })
    )
    return () => logInBy(() => Promise.resolve(false))
  }, [])
  const check = async () => {
    setProblem(null)
    const now = await accountNow()
    if (now === null) return
    if (now !== account) {
      emptyPage()
      location.reload()
      return
    }
    setHasEnded(false)
    for (const answer of waiting) answer(true)
    waiting.clear()
  }
  useEffect(() => {
    if (!hasEnded) return
    // another tab may have logged in meanwhile
    const look = () => {
      check().catch((refusal: Refusal) => setProblem(refusal))
    }
    const timer = setTimeout(onGone, keptMillis)
    addEventListener("focus", look)
    return () => {
      clearTimeout(timer)
      removeEventListener("focus", look)
    }
  }, [hasEnded])
  if (!hasEnded) return null
  return (
    <Dialog title="Your session has ended" kind="login" onClose={() => {}} onEscape={() => {}}>
      <p>
        It ends after 30 minutes without use, after 12 hours, or when it is ended from another place. What you typed is
        kept for 15 minutes: log in again as <strong>{email}</strong> to go on.
      </p>
      {email === null ? null : <LogIn email={email} onDone={check} />}
      <Problem error={problem} />
      <p>
        <OtherTab href="/login/sso">Log in through your organization in another tab</OtherTab>, then come back.
      </p>
      <div class="actions">
        <button
          type="button"
          onClick={() => {
            emptyPage()
            location.replace("/login")
          }}
        >
          Leave, and lose what I typed
        </button>
      </div>
    </Dialog>
  )
}

/** Takes the place of every screen once the session has ended, and nothing was typed. */
export const SessionGone = () => (
  <main id="main" class="alone">
    <h1>Your session has ended</h1>
    <p>It ends after 30 minutes without use, after 12 hours, or when it is ended from another place.</p>
    <p>
      <button type="button" class="main" onClick={logInFirst}>
        Log in again
      </button>
    </p>
  </main>
)
