import type { Enrolment } from "@wcs/domain/second-factor/SecondFactors"
import type { SessionDocument } from "@wcs/domain/session/Sessions"
import type { Offer } from "@wcs/domain/single-sign-on/SingleSignOn"
import { Redacted } from "effect"
import { renderSVG } from "uqr"
import { consolePath } from "../ConsoleRoutes.ts"
import { type Html, html } from "../Html.ts"
import { page } from "./Page.ts"

/** A problem that the page shows above the form. */
export interface Problem {
  readonly status: number
  readonly message: string
}

const problemOf = (problem: Problem | undefined): Html =>
  problem === undefined ? html`` : html`<p class="problem" role="alert">${problem.message}</p>`

const codeField = html`<label for="code">Six-digit code</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 \\-]{6,}" required autofocus>`

export const passwordPage = (problem?: Problem) =>
  page(
    "Log in",
    html`${problemOf(problem)}<form method="post" action="/login">
<label for="email">Email</label><input id="email" name="email" type="email" autocomplete="username" required autofocus>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button>Log in</button></form><p><a href="/login/sso">Log in through your organization</a></p>`,
    problem?.status
  )

/** The form of an invite link. It posts to the address of the page. */
export const invitePage = (email: string, problem?: Problem) =>
  page(
    "Welcome",
    html`${problemOf(problem)}<p>Choose a password for <strong>${email}</strong>.</p>
<form method="post"><input type="hidden" name="username" value="${email}" autocomplete="username">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="10" maxlength="128" required
autofocus><p>At least 10 characters. With fewer than 15 you also need an authenticator app.</p>
<button>Set password</button></form>`,
    problem?.status
  )

/** The page for every invite link that is not accepted. */
export const noInvitePage = (problem: Problem) =>
  page("This link is not valid", html`${problemOf(problem)}<p><a href="/login">Log in</a></p>`, problem.status)

/**
 * Continues to the next page with the new session. A redirect has two problems. After the form of an identity provider
 * it counts as cross-site, so the browser would not send the strict cookie. In Chromium 156, Back after a logout would
 * show the page from memory.
 */
export const signedInPage = (next: string) =>
  page(
    "You are logged in",
    html`<p><a href="${next}">Continue</a></p>`,
    200,
    html`<meta http-equiv="refresh" content="0;url=${next}">`
  )

export const codePage = (problem?: Problem) =>
  page(
    "Enter your code",
    html`${problemOf(problem)}<form method="post" action="/login/code">
<p>Open your authenticator app and enter the code that it shows.</p>${codeField}<button>Log in</button></form>
<details><summary>Use a recovery code instead</summary><form method="post" action="/login/recovery">
<label for="recovery">Recovery code</label><input id="recovery" name="code" autocomplete="off" required>
<button>Log in</button></form></details>
<p><a href="/login">Start again</a></p>`,
    problem?.status
  )

export const enrolmentStartPage = (wasReset: boolean) =>
  page(
    "Set up your second factor",
    html`<p>This account needs an authenticator app on your phone. Install one, then continue.</p>
${wasReset ? html`<p role="alert">An administrator has reset your former app. If you did not ask for that, tell another administrator.</p>` : html``}
<form method="post" action="/login/enrol"><button autofocus>Continue</button></form>`
  )

/** The page after a wrong code. It does not show the seed again. */
export const enrolmentAgainPage = (problem: Problem) =>
  page(
    "Set up your second factor",
    html`${problemOf(problem)}<form method="post" action="/login/confirm">${codeField}<button>Confirm</button></form>
<form method="post" action="/login/enrol"><button>Start again with a new key</button></form>`,
    problem.status
  )

/** The only page that shows the seed. */
export const enrolmentPage = ({ seed, uri }: Enrolment, action: "/login/confirm" | "/account/second-factor/confirm") =>
  page(
    "Set up your second factor",
    html`<p>Scan this code with your authenticator app:</p>
${{ html: renderSVG(Redacted.value(uri)) }}
<p>Or enter this key by hand: <code>${Redacted.value(seed)}</code></p>
<form method="post" action="${action}">${codeField}<button>Confirm</button></form>`
  )

/** The only page that shows the recovery codes. `next` is the page after it. */
export const recoveryCodesPage = (codes: ReadonlyArray<Redacted.Redacted>, next: string) =>
  page(
    "Keep your recovery codes",
    html`<p>Each code logs you in once if you lose your phone. They are shown only once: print them or store them in a
password manager.</p><ul>${codes.map((code) => html`<li><code>${Redacted.value(code)}</code></li>`)}</ul>
<p><a href="${next}">Continue</a></p>`
  )

/** The data of the account page. */
export interface Person {
  readonly email: string
  readonly role: string
  /** RFC 3339; null if the person has not joined, or joined before this was recorded. */
  readonly joinedAt: string | null
  /** The email of the maker of the last invite link; null if there was none, or if its maker is not a user. */
  readonly invitedBy: string | null
  readonly hasSecondFactor: boolean
  /** The identity provider of the session, if the login used one. */
  readonly provider: Offer | null
  /** Whether the last authentication is recent enough to change secrets. */
  readonly isFresh: boolean
  readonly currentSession: string
  readonly sessions: ReadonlyArray<SessionDocument>
}

const sessionRow = (current: string, { createdAt, id, seenAt, userAgent }: SessionDocument): Html =>
  html`<tr><td>${userAgent === "" ? "unknown browser" : userAgent}${id === current ? " (this one)" : ""}</td>
<td>${createdAt.slice(0, 16).replace("T", " ")}</td><td>${seenAt.slice(0, 16).replace("T", " ")}</td></tr>`

/** Tells a person when they joined, and who made their last invite link: an administrator may have renewed and used it. */
const joiningOf = ({ invitedBy, joinedAt }: Person): Html =>
  html`${joinedAt === null ? html`` : html`<p>You joined at ${joinedAt.slice(0, 16).replace("T", " ")} (UTC).</p>`}${
    invitedBy === null
      ? html``
      : html`<p>Your last invite link was made by
<strong>${invitedBy}</strong>. If you did not expect this, tell another administrator.</p>`
  }`

const proofForm = (field: Html): Html =>
  html`<form method="post" action="/account/step-up">${field}<button>Confirm</button></form>`

const passwordProof = proofForm(html`<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>`)

const againThrough = ({ name, path }: Offer): Html =>
  html`<p><a href="${path}?fresh=true">Log in again through ${name}</a></p>`

/** Users of a provider may have no password, so they confirm at the provider. */
const stepUpForm = ({ hasSecondFactor, provider }: Person): Html =>
  html`<h2>Confirm that it is you</h2>
<p>To change your login, confirm your identity. A confirmation is valid for 15 minutes.</p>
${hasSecondFactor ? proofForm(codeField) : html``}${
  provider !== null ? againThrough(provider) : hasSecondFactor ? html`` : passwordProof
}`

const secondFactorForms = (hasSecondFactor: boolean): Html =>
  hasSecondFactor
    ? html`<form method="post" action="/account/recovery-codes"><button>Make new recovery codes</button></form>`
    : html`<form method="post" action="/account/second-factor"><button>Set up an authenticator app</button></form>`

const passwordForm = html`<h2>Change your password</h2><form method="post" action="/account/password">
<label for="current">Current password</label>
<input id="current" name="current" type="password" autocomplete="current-password" required>
<label for="next">New password</label>
<input id="next" name="next" type="password" autocomplete="new-password" minlength="10" maxlength="128" required>
<button>Change password</button></form>`

export const accountPage = (person: Person, problem?: Problem) =>
  page(
    "Your account",
    html`${problemOf(problem)}<p>You are logged in as <strong>${person.email}</strong>, ${person.role}.</p>
${joiningOf(person)}
<p><a href="${consolePath}">Go to the console</a></p>
<form method="post" action="/logout"><button>Log out</button></form>
<h2>Sessions</h2><table><thead><tr><th>Browser</th><th>Since (UTC)</th><th>Last used</th></tr></thead>
<tbody>${person.sessions.map((session) => sessionRow(person.currentSession, session))}</tbody></table>
<form method="post" action="/account/sessions/end"><button>Log out everywhere else</button></form>
<h2>Second factor</h2>${person.isFresh ? secondFactorForms(person.hasSecondFactor) : stepUpForm(person)}
${passwordForm}`,
    problem?.status
  )
