import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { AccessStore, type OwnedToken } from "@wcs/domain/access/AccessStore"
import type { PersonalToken } from "@wcs/domain/access/PersonalToken"
import { nameOf, PrivilegeRules } from "@wcs/domain/access/Privilege"
import { Effect, Option } from "effect"
import { asBearer, asNobody, byAccepted, isPersonal, refused, tokenOf } from "../../Callers.ts"
import * as Enrolment from "../../Enrolment.ts"
import * as ExternalProvider from "../../ExternalProvider.ts"
import type { Mutant } from "../../Mutant.ts"
import * as Rewrite from "../../seams/Rewrite.ts"
import * as Seams from "../../seams/Seams.ts"

const isByPersonal = (request: Request): boolean => isPersonal(tokenOf(request))

/** Changes answers to calls with personal tokens. */
const answered = (where: Rewrite.Where, change: (answer: Answer) => Answer) =>
  Rewrite.answers(where, (answer, request) => (isByPersonal(request) ? change(answer) : answer))

const acceptanceMutants: ReadonlyArray<Mutant> = [
  {
    name: "personal-tokens-are-nobodys",
    rewrite: Rewrite.requests({}, (request) => (isByPersonal(request) ? asNobody(request) : request)),
    kills: [{ rule: "AUT-08", kind: "status", at: "status" }]
  },
  {
    name: "personal-tokens-do-not-open-credentials",
    rewrite: Rewrite.requests({ path: /^\/credentials/ }, (request) =>
      isByPersonal(request) ? asNobody(request) : request
    ),
    kills: [{ rule: "AUT-08", kind: "status", at: "status" }]
  },
  {
    name: "personal-tokens-are-shown-no-list",
    rewrite: answered(
      { method: "GET", status: 200 },
      Rewrite.mapJson((body) => Rewrite.put(body, "data", {}))
    ),
    kills: [{ rule: "AUT-08", kind: "wrong-type", at: "body.data" }]
  }
]

const createWorker = { method: "POST", path: /^\/workers$/ }

const privilegeMutants: ReadonlyArray<Mutant> = [
  {
    name: "personal-tokens-may-do-everything",
    stores: Seams.store(AccessStore, ({ findPersonalToken }) => ({
      findPersonalToken: (hash) =>
        Effect.map(
          findPersonalToken(hash),
          Option.map(({ account, token }): OwnedToken => ({ account: { ...account, role: "Super Admin" }, token }))
        )
    })),
    kills: [{ rule: "AUT-09", kind: "status", at: "status" }]
  },
  {
    name: "reading-is-enough-to-create",
    rules: Seams.rules(PrivilegeRules, ({ authorize }) => ({
      authorize: (account, privileges, required) =>
        authorize(
          account,
          privileges,
          required.filter(
            ({ entityType, operation }) =>
              operation !== "CREATE" || !privileges.has(nameOf({ entityType, operation: "READ" }))
          )
        )
    })),
    kills: [{ rule: "AUT-09", kind: "status", at: "status" }]
  },
  {
    name: "roles-of-an-accounts-own-grant-nothing",
    rules: Seams.rules(PrivilegeRules, ({ privilegesOf }) => ({
      privilegesOf: (role) => (typeof role === "string" ? privilegesOf(role) : new Set())
    })),
    kills: [{ rule: "AUT-09", kind: "status", at: "status" }]
  },
  {
    name: "forbidden-create-is-refused-when-it-is-done",
    rewrite: byAccepted((request, [admin], serve) =>
      Effect.tap(serve(request), ({ status }) =>
        status === 403 && request.method === "POST" && admin !== undefined
          ? serve(asBearer(request, admin))
          : Effect.void
      )
    ),
    kills: [{ rule: "AUT-09", kind: "wrong-value", at: "body.data" }]
  },
  {
    name: "what-is-forbidden-is-not-found",
    rewrite: Rewrite.answers({ status: 403 }, refused(404, "NOT_FOUND")),
    kills: [{ rule: "AUT-09", kind: "status", at: "status" }]
  }
]

const bothKindsMutants: ReadonlyArray<Mutant> = [
  {
    name: "creates-by-personal-tokens-are-200",
    rewrite: answered({ ...createWorker, status: 201 }, (answer) => ({ ...answer, status: 200 })),
    kills: [{ rule: "AUT-10", kind: "status", at: "status" }]
  },
  {
    name: "personal-tokens-delete-nothing",
    rewrite: Rewrite.instead({ method: "DELETE" }, (request, serve) =>
      isByPersonal(request)
        ? Effect.map(serve({ ...request, method: "GET" }), refused(403, "FORBIDDEN"))
        : serve(request)
    ),
    kills: [{ rule: "AUT-10", kind: "status", at: "status" }]
  },
  {
    name: "personal-tokens-are-not-shown-when-workers-changed",
    rewrite: answered(
      { ...createWorker, status: 201 },
      Rewrite.mapJson((body) => Rewrite.put(body, "data.updatedAt", undefined))
    ),
    kills: [{ rule: "AUT-10", kind: "wrong-type", at: "body.data.updatedAt" }]
  },
  {
    name: "errors-for-personal-tokens-have-details",
    rewrite: answered(
      { status: 400 },
      Rewrite.mapJson((body) => Rewrite.put(body, "error.details", []))
    ),
    kills: [{ rule: "AUT-10", kind: "wrong-type", at: "body.error.details" }]
  }
]

/** Demands the second factor from an enrolled user. */
const challenged = (where: Rewrite.Where, status: number, code: string) =>
  Enrolment.knowing(
    Rewrite.instead(where, (request, serve) =>
      Enrolment.isEnrolled(request) ? Effect.map(serve(asNobody(request)), refused(status, code)) : serve(request)
    )
  )

const enrolledMutants: ReadonlyArray<Mutant> = [
  {
    name: "second-factor-is-asked-for-with-every-call",
    ...Enrolment.told,
    rewrite: challenged({}, 401, "UNAUTHENTICATED"),
    kills: [{ rule: "AUT-15", kind: "status", at: "status" }]
  },
  {
    name: "second-factor-is-asked-for-before-a-delete",
    ...Enrolment.told,
    rewrite: challenged({ method: "DELETE" }, 403, "FORBIDDEN"),
    kills: [{ rule: "AUT-15", kind: "status", at: "status" }]
  },
  {
    name: "second-factor-is-asked-for-before-owners-change",
    ...Enrolment.told,
    rewrite: challenged({ method: "POST", path: /^\/credentials\/[^/]+\/link$/ }, 403, "FORBIDDEN"),
    kills: [{ rule: "AUT-15", kind: "status", at: "status" }]
  },
  {
    name: "second-factor-is-asked-for-in-the-answer",
    ...Enrolment.told,
    rewrite: Enrolment.knowing(
      Rewrite.answers({ method: "GET", status: 200 }, (answer, request) =>
        Enrolment.isEnrolled(request)
          ? Rewrite.mapJson((body) => Rewrite.put(body, "meta.secondFactor", "required"))(answer)
          : answer
      )
    ),
    kills: [{ rule: "AUT-15", kind: "wrong-type", at: "body.meta.secondFactor" }]
  }
]

/** Ends personal tokens depending on the user's other tokens, oldest first. */
const overBeside = (isOver: (token: PersonalToken, others: ReadonlyArray<PersonalToken>) => boolean) =>
  Seams.store(AccessStore, ({ findPersonalToken, listPersonalTokens }) => ({
    findPersonalToken: Effect.fnUntraced(function* (hash) {
      const found = yield* findPersonalToken(hash)
      if (Option.isNone(found)) return found
      const { token } = found.value
      const others = (yield* listPersonalTokens(token.tenantId)).filter(
        ({ accountId }) => accountId === token.accountId
      )
      return isOver(token, others) ? Option.none() : found
    })
  }))

const externalMutants: ReadonlyArray<Mutant> = [
  {
    name: "tokens-of-the-external-provider-are-not-accepted",
    ...ExternalProvider.told,
    kills: [{ rule: "AUT-14", kind: "status", at: "status" }]
  }
]

const isLiving = ({ expiresAt, revokedAt }: PersonalToken): boolean => revokedAt === null && expiresAt === null

const endMutants: ReadonlyArray<Mutant> = [
  {
    name: "new-personal-token-ends-the-old-one",
    stores: overBeside((token, all) => all.at(-1)?.id !== token.id),
    kills: [{ rule: "AUT-11", kind: "status", at: "status" }]
  },
  {
    name: "new-personal-token-waits-for-the-end-of-the-old-one",
    stores: overBeside((token, all) => all.find(isLiving)?.id !== token.id),
    kills: [{ rule: "AUT-11", kind: "status", at: "status" }]
  },
  {
    name: "revoked-personal-tokens-go-on",
    stores: Seams.store(AccessStore, ({ findPersonalToken }) => ({
      findPersonalToken: (hash) =>
        Effect.map(
          findPersonalToken(hash),
          Option.map(({ account, token }): OwnedToken => ({ account, token: { ...token, revokedAt: null } }))
        )
    })),
    kills: [{ rule: "AUT-12", kind: "status", at: "status" }]
  },
  {
    name: "revoking-one-personal-token-ends-all-of-its-user",
    stores: overBeside((_, all) => all.some(({ revokedAt }) => revokedAt !== null)),
    kills: [{ rule: "AUT-12", kind: "status", at: "status" }]
  }
]

/** Defects of personal tokens: acceptance, privileges, second factors and revocation. */
export const personalTokenMutants: ReadonlyArray<Mutant> = [
  ...acceptanceMutants,
  ...privilegeMutants,
  ...bothKindsMutants,
  ...enrolledMutants,
  ...externalMutants,
  ...endMutants
]
