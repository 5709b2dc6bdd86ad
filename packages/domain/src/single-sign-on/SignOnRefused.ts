import { Data } from "effect"

/**
 * A login through an identity provider was refused. `code` is for the audit log. `message` is for the administrator who
 * tests the connection and may quote text of an attacker. The user gets neither.
 */
export class SignOnRefused extends Data.TaggedError("SignOnRefused")<{
  readonly code: string
  readonly message: string
}> {}

/** Reasons to refuse a genuine response. Each text says what to change. */
const policies = {
  ProviderInactive: "The identity provider is not active. Set active to true.",
  Unsolicited:
    "The response belongs to no login of this browser. Start the login at this service: logins that start at the identity provider are refused.",
  NotFresh:
    "The identity provider returned an old login, but a new one was requested. Configure the identity provider to obey ForceAuthn (SAML) or prompt=login (OpenID Connect).",
  Replayed: "The response was used before. Log in again.",
  EmailMissing: "The response has no e-mail address, or several. Configure the identity provider to send one.",
  EmailNotVerified:
    "The identity provider does not say that the e-mail address is verified. Verify the address there. If the identity provider never says so, consider oidc.trustVerifiedDomains.",
  DomainNotVerified:
    "The domain of the e-mail address is not a verified domain of this identity provider. Add the domain and verify it.",
  NoUser: "No active user has the e-mail address. Create or activate the user first.",
  OtherSubject:
    "The user with this e-mail address is bound to another subject of the identity provider. If the identity provider renamed its subjects, create the identity provider here again."
} as const

export type Policy = keyof typeof policies

export const refusedBy = (code: Policy): SignOnRefused => new SignOnRefused({ code, message: policies[code] })
