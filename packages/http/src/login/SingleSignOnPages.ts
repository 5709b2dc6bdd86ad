import type { Offer, SignOn } from "@wcs/domain/single-sign-on/SingleSignOn"
import { html } from "../Html.ts"
import { page } from "./Page.ts"

/** The identity providers of the tenant as links. The security policy forbids redirects of forms to other sites. */
export const offersPage = (offers: ReadonlyArray<Offer>) =>
  page(
    "Log in through your organization",
    html`${
      offers.length === 0
        ? html`<p>Your organization has not set up single sign-on.</p>`
        : html`<ul>${offers.map(({ name, path }) => html`<li><a href="${path}">${name}</a></li>`)}</ul>`
    }<p><a href="/login">Log in with a password</a></p>`
  )

/** The page of a failed login. The reason is only in the audit log. */
export const refusedPage = () =>
  page(
    "Login failed",
    html`<p class="problem" role="alert">The login through your organization failed. Try again, or ask your
administrator.</p><p><a href="/login/sso">Try again</a></p>`,
    401
  )

/** The result of a test login, for the administrator. */
export const testPage = ({ email, refusal }: Extract<SignOn, { readonly _tag: "Tested" }>) =>
  page(
    "Test login",
    refusal === null
      ? html`<p>The login works. It would log in <strong>${email ?? ""}</strong>.</p>`
      : html`<p class="problem" role="alert">The login would be refused.</p>
<p>${refusal.message}</p><p>Reason in the audit log: <code>${refusal.code}</code></p>`
  )
