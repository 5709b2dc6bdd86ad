import { assert, describe, it } from "@effect/vitest"
import { type Account, normalizeEmail } from "@wcs/domain/access/Account"
import { Domain } from "@wcs/domain/single-sign-on/IdentityProvider"
import { isOpenToAnybody, WellKnownUrl } from "@wcs/domain/single-sign-on/IdentityProviderUrl"
import { noticeMillis, validityAt } from "@wcs/domain/single-sign-on/IdentityProviderView"
import { accountFor, isProvenSince, requires } from "@wcs/domain/single-sign-on/SignOnRules"
import { Option, Result, Schema } from "effect"

const account = (overrides: Partial<Account> = {}): Account => ({
  id: "acc_0000000000000001",
  tenantId: "tnt_0000000000000001",
  kind: "user",
  email: "ann@example.org",
  role: "Viewer",
  rateLimit: null,
  workerId: null,
  deactivatedAt: null,
  createdAt: 0,
  ...overrides
})

const provider = { verifiedDomains: ["example.org"] }
const proven = { email: "ann@example.org", emailVerified: true }
const none = Option.none<Account>()

const outcome = (
  claims: Partial<typeof proven> | { readonly email: null },
  bound: Option.Option<Account>,
  byEmail: Option.Option<Account>
) =>
  Result.match(accountFor(provider, { ...proven, ...claims }, { bound, byEmail }), {
    onFailure: ({ code }) => code,
    onSuccess: ({ id }) => id
  })

describe("a fresh login through an identity provider", () => {
  it("is fresh if the user authenticated after the request, or at most a minute before it", () => {
    const begun = Date.UTC(2026, 5, 1)
    assert.isTrue(isProvenSince({ authenticatedAt: begun + 5000 }, begun))
    assert.isTrue(isProvenSince({ authenticatedAt: begun - 60_000 }, begun))
    assert.isFalse(isProvenSince({ authenticatedAt: begun - 60_001 }, begun))
    assert.isTrue(isProvenSince({ authenticatedAt: 0 }, null))
  })
})

describe("the account of a login through an identity provider", () => {
  const ann = account()
  const bob = account({ id: "acc_0000000000000002", email: "bob@example.org" })

  it("is the account that the subject is bound to, for any address; else the account with the verified address", () => {
    assert.strictEqual(outcome({}, none, Option.some(ann)), ann.id)
    assert.strictEqual(outcome({ email: "ANN@Example.org " }, none, Option.some(ann)), ann.id)
    assert.strictEqual(outcome({}, Option.some(bob), Option.some(ann)), bob.id)
    assert.strictEqual(outcome({ email: null }, Option.some(bob), none), bob.id)
  })

  it("is refused without a verified address in a verified domain", () => {
    assert.strictEqual(outcome({ email: null }, none, none), "EmailMissing")
    assert.strictEqual(outcome({ emailVerified: false }, none, Option.some(ann)), "EmailNotVerified")
    for (const email of ["ann@example.com", "ann@sub.example.org", "ann@example.org@evil.example"]) {
      assert.strictEqual(outcome({ email }, none, Option.some(ann)), "DomainNotVerified", email)
    }
    const moved = account({ email: "ann@elsewhere.example" })
    assert.strictEqual(outcome({}, Option.some(moved), none), "DomainNotVerified")
  })

  it("threat 57: trusts an address without `email_verified` only if its verified domains are trusted", () => {
    const byOidc = (trust: object, claims: { readonly email?: string; readonly emailVerified: boolean | null }) => {
      const oidc = { issuer: "https://idp.example.org", clientId: "wcs", ...trust }
      const outcome = accountFor(
        { ...provider, oidc },
        { ...proven, ...claims },
        { bound: none, byEmail: Option.some(ann) }
      )
      return Result.match(outcome, { onFailure: ({ code }) => code, onSuccess: ({ id }) => id })
    }
    const trusting = { trustVerifiedDomains: true }
    assert.strictEqual(byOidc(trusting, { emailVerified: null }), ann.id)
    assert.strictEqual(byOidc(trusting, { emailVerified: false }), "EmailNotVerified")
    assert.strictEqual(byOidc(trusting, { emailVerified: null, email: "ann@example.com" }), "DomainNotVerified")
    assert.strictEqual(byOidc({}, { emailVerified: null }), "EmailNotVerified")
    assert.strictEqual(byOidc({ trustVerifiedDomains: false }, { emailVerified: null }), "EmailNotVerified")
  })

  it("threat 57: another letter with the same lower case is another address", () => {
    assert.strictEqual(normalizeEmail(" Mark.É@Example.org"), "mark.é@example.org")
    assert.strictEqual(normalizeEmail("Mar\u212A@example.org"), "mar\u212A@example.org")
    assert.strictEqual(outcome({ email: "ann@ban\u212A.example" }, none, Option.some(ann)), "DomainNotVerified")
  })

  it("is never a deactivated user or a service account", () => {
    assert.strictEqual(outcome({}, none, none), "NoUser")
    assert.strictEqual(outcome({}, Option.some(account({ deactivatedAt: 1 })), none), "NoUser")
    assert.strictEqual(outcome({}, Option.some(account({ kind: "service", email: null })), none), "NoUser")
  })
})

describe("required single sign-on", () => {
  const on = { active: true, required: true, verifiedDomains: ["example.org"] }

  it("applies to users of verified domains, and never to a Super Admin", () => {
    assert.isTrue(requires(on, account()))
    assert.isTrue(requires(on, account({ role: ["worker:READ"] })))
    assert.isFalse(requires(on, account({ role: "Super Admin" })))
    assert.isFalse(requires(on, account({ email: "ann@example.com" })))
    assert.isFalse(requires({ ...on, active: false }, account()))
    assert.isFalse(requires({ ...on, required: false }, account()))
  })
})

describe("settings of an identity provider", () => {
  const directory = "0b6f2a4e-1f7a-4d43-9d5a-0a9be3a7a111"
  const issuers: ReadonlyArray<readonly [issuer: string, isOpen: boolean]> = [
    [`https://login.microsoftonline.com/${directory}/v2.0`, false],
    [`https://sts.windows.net/${directory}/`, false],
    [`https://login.microsoftonline.us/${directory}/v2.0`, false],
    ["https://login.microsoftonline.com/common/v2.0", true],
    ["https://login.microsoftonline.com/organizations/v2.0", true],
    ["https://login.microsoftonline.com/consumers/v2.0", true],
    ["https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0", true],
    ["https://login.microsoftonline.com./common/v2.0", true],
    [`https://login.microsoftonline.com./${directory}/v2.0`, false],
    [`https://${directory}.ciamlogin.com/${directory}/v2.0`, true],
    [`https://customers.b2clogin.com/${directory}/v2.0/`, true],
    ["https://accounts.google.com", true],
    ["https://accounts.google.com.", true],
    ["https://idp.example.org/common", false]
  ]
  it.each(issuers)("threat 57: %s is open to anybody: %s", (issuer, isOpen) => {
    assert.strictEqual(isOpenToAnybody(issuer), isOpen)
  })

  it("warns of a certificate 30 days before it expires", () => {
    const certificate = { pem: "", fingerprint: "", subject: "", notBefore: 1000, notAfter: 1000 + 2 * noticeMillis }
    const at = (now: number) => validityAt(certificate, now)
    const { notAfter, notBefore } = certificate
    assert.strictEqual(at(notBefore - 1), "NOT_YET_VALID")
    assert.strictEqual(at(notBefore), "VALID")
    assert.strictEqual(at(notAfter - noticeMillis), "VALID")
    assert.strictEqual(at(notAfter - noticeMillis + 1), "EXPIRES_SOON")
    assert.strictEqual(at(notAfter), "EXPIRES_SOON")
    assert.strictEqual(at(notAfter + 1), "EXPIRED")
  })

  it("accepts https URLs, or http on this machine, without credentials and fragment", () => {
    const isUrl = Schema.is(WellKnownUrl)
    for (const url of ["https://idp.example.org/a?b=c", "http://127.0.0.1:80", "http://localhost/a"]) {
      assert.isTrue(isUrl(url), url)
    }
    const wrong = ["http://idp.example.org", "https://a:b@idp.example.org", "https://a.example/#b", "javascript:a"]
    for (const url of [
      ...wrong,
      "https://a.example/\n",
      "",
      "https://",
      "data:a",
      `https://a.example/${"a".repeat(2048)}`
    ]) {
      assert.isFalse(isUrl(url), url)
    }
  })

  it("accepts domains of at least two labels in lower case", () => {
    const isDomain = Schema.is(Domain)
    for (const name of ["example.org", "a.b.example", "xn--bcher-kva.example"]) assert.isTrue(isDomain(name), name)
    const wrong = [
      "org",
      "Example.org",
      "-a.example",
      "a-.example",
      "a..example",
      "a.example.",
      "1.2.3.4",
      "a b.example"
    ]
    for (const name of [...wrong, "", `${"a".repeat(64)}.example`]) assert.isFalse(isDomain(name), name)
  })
})
