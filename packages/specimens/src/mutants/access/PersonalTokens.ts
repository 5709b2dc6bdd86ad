import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { nameOf, PrivilegeRules } from "@wcs/domain/access/Privilege"
import { AccessStore, type OwnedToken } from "@wcs/domain/token/AccessStore"
import type { PersonalToken } from "@wcs/domain/token/PersonalToken"
import { Effect, Option } from "effect"
import { asBearer, asNobody, byAccepted, isPersonal, refused, tokenOf } from "../../Callers.ts"
import * as Enrolment from "../../Enrolment.ts"
import * as ExternalProvider from "../../ExternalProvider.ts"
import { type Mutant, mutant } from "../../Mutant.ts"
import * as Rewrite from "../../seams/Rewrite.ts"
import * as Seams from "../../seams/Seams.ts"
import { withoutSiblings } from "../../variants/Profiles.ts"

const isByPersonal = (request: Request): boolean => isPersonal(tokenOf(request))

/** Changes answers to calls with personal tokens. */
const answered = (where: Rewrite.Where, change: (answer: Answer) => Answer) =>
  Rewrite.answers(where, (answer, request) => (isByPersonal(request) ? change(answer) : answer))

const createWorker = { method: "POST", path: /^\/workers$/ }

/** Demands the second factor from an enrolled user. */
const challenged = (where: Rewrite.Where, status: number, code: string) =>
  Enrolment.knowing(
    Rewrite.instead(where, (request, serve) =>
      Enrolment.isEnrolled(request) ? Effect.map(serve(asNobody(request)), refused(status, code)) : serve(request)
    )
  )

/** Ends personal tokens depending on the user's other tokens, oldest first. */
const overBeside = (isOver: (token: PersonalToken, others: ReadonlyArray<PersonalToken>) => boolean) =>
  Seams.store(AccessStore, ({ findPersonalToken, listPersonalTokens }) => ({
    findPersonalToken: Effect.fnUntraced(function* (...key) {
      const found = yield* findPersonalToken(...key)
      if (Option.isNone(found)) return found
      const { token } = found.value
      const others = (yield* listPersonalTokens(token.tenantId)).filter(
        ({ accountId }) => accountId === token.accountId
      )
      return isOver(token, others) ? Option.none() : found
    })
  }))

const isLiving = ({ expiresAt, revokedAt }: PersonalToken): boolean => revokedAt === null && expiresAt === null

/** Forgets revocations. */
const reviving = Seams.store(AccessStore, ({ findPersonalToken }) => ({
  findPersonalToken: (...key) =>
    Effect.map(
      findPersonalToken(...key),
      Option.map(({ account, token }): OwnedToken => ({ account, token: { ...token, revokedAt: null } }))
    )
}))

/** Defects of personal tokens: acceptance, privileges, second factors and revocation. */
export const personalTokenMutants: ReadonlyArray<Mutant> = [
  mutant("personal-tokens-are-nobodys", "AUT-08 status", { alsoKills: ["AUT-10"] }).requests({}, (request) =>
    isByPersonal(request) ? asNobody(request) : request
  ),
  mutant("personal-tokens-do-not-open-credentials", "AUT-08 status", { alsoKills: ["AUT-10"] }).requests(
    { path: /^\/credentials/ },
    (request) => (isByPersonal(request) ? asNobody(request) : request)
  ),
  mutant("personal-tokens-are-shown-no-list", "AUT-08 wrong-type at body.data", {
    alsoKills: ["AUT-10", "CRD-04"]
  }).rewrite(answered({ method: "GET", status: 200 }, Rewrite.field("data", {}))),
  mutant("personal-tokens-may-do-everything", "AUT-09 status").stores(
    Seams.store(AccessStore, ({ findPersonalToken }) => ({
      findPersonalToken: (...key) =>
        Effect.map(
          findPersonalToken(...key),
          Option.map(({ account, token }): OwnedToken => ({ account: { ...account, role: "Super Admin" }, token }))
        )
    }))
  ),
  mutant("reading-is-enough-to-create", "AUT-09 status").rules(
    Seams.rules(PrivilegeRules, ({ authorize }) => ({
      authorize: (account, privileges, required) =>
        authorize(
          account,
          privileges,
          required.filter(
            ({ entityType, operation }) =>
              operation !== "CREATE" || !privileges.has(nameOf({ entityType, operation: "READ" }))
          )
        )
    }))
  ),
  mutant("roles-of-an-accounts-own-grant-nothing", "AUT-09 status").rules(
    Seams.rules(PrivilegeRules, ({ privilegesOf }) => ({
      privilegesOf: (role) => (typeof role === "string" ? privilegesOf(role) : new Set())
    }))
  ),
  mutant("forbidden-create-is-refused-when-it-is-done", "AUT-09 wrong-value at body.data").rewrite(
    byAccepted((request, [admin], serve) =>
      Effect.tap(serve(request), ({ status }) =>
        status === 403 && request.method === "POST" && admin !== undefined
          ? serve(asBearer(request, admin))
          : Effect.void
      )
    )
  ),
  mutant("what-is-forbidden-is-not-found", "AUT-09 status").answers({ status: 403 }, refused(404, "NOT_FOUND")),
  mutant("creates-by-personal-tokens-are-200", "AUT-10 status", { alsoKills: ["WRK-02"] }).rewrite(
    answered({ ...createWorker, status: 201 }, (answer) => ({ ...answer, status: 200 }))
  ),
  mutant("personal-tokens-delete-nothing", "AUT-10 status").instead({ method: "DELETE" }, (request, serve) =>
    isByPersonal(request) ? Effect.map(serve({ ...request, method: "GET" }), refused(403, "FORBIDDEN")) : serve(request)
  ),
  mutant("personal-tokens-are-not-shown-when-workers-changed", "AUT-10 wrong-type at body.data.updatedAt").rewrite(
    answered({ ...createWorker, status: 201 }, Rewrite.field("data.updatedAt", undefined))
  ),
  mutant("errors-for-personal-tokens-have-details", "AUT-10 wrong-type at body.error.details").rewrite(
    answered({ status: 400 }, Rewrite.field("error.details", []))
  ),
  mutant("second-factor-is-asked-for-with-every-call", "AUT-15 status", { alsoKills: ["AUT-06", "AUT-07"] }).by({
    ...Enrolment.told,
    rewrite: challenged({}, 401, "UNAUTHENTICATED")
  }),
  mutant("second-factor-is-asked-for-before-a-delete", "AUT-15 status").by({
    ...Enrolment.told,
    rewrite: challenged({ method: "DELETE" }, 403, "FORBIDDEN")
  }),
  mutant("second-factor-is-asked-for-before-owners-change", "AUT-15 status").by({
    ...Enrolment.told,
    rewrite: challenged({ method: "POST", path: /^\/credentials\/[^/]+\/link$/ }, 403, "FORBIDDEN")
  }),
  mutant("second-factor-is-asked-for-in-the-answer", "AUT-15 wrong-type at body.meta.secondFactor").by({
    ...Enrolment.told,
    rewrite: Enrolment.knowing(
      Rewrite.answers({ method: "GET", status: 200 }, (answer, request) =>
        Enrolment.isEnrolled(request) ? Rewrite.field("meta.secondFactor", "required")(answer) : answer
      )
    )
  }),
  mutant("tokens-of-the-external-provider-are-not-accepted", "AUT-14 status").by(ExternalProvider.told),
  mutant("new-personal-token-ends-the-old-one", "AUT-11 status").stores(
    overBeside((token, all) => all.at(-1)?.id !== token.id)
  ),
  mutant("new-personal-token-waits-for-the-end-of-the-old-one", "AUT-11 status").stores(
    overBeside((token, all) => all.find(isLiving)?.id !== token.id)
  ),
  mutant("revoked-personal-tokens-go-on", "AUT-12 status").stores(reviving),
  mutant("revoked-personal-token-without-a-sibling-goes-on", "AUT-12 status").by({
    stores: reviving,
    profile: withoutSiblings
  }),
  mutant("revoking-one-personal-token-ends-all-of-its-user", "AUT-12 status").stores(
    overBeside((_, all) => all.some(({ revokedAt }) => revokedAt !== null))
  )
]
