import { Context, Effect, Layer, Option, Schema } from "effect"
import { accountIdOf, accountUrn } from "../access/Account.ts"
import { Caller } from "../access/Caller.ts"
import { PrivilegeRules } from "../access/Privilege.ts"
import type { OutlivesMaker } from "../access/TokenLifetime.ts"
import { actorOf } from "../audit/AuditEntry.ts"
import type { CollectionFull } from "../resource/Resource.ts"
import { createdAt, revokedAt, timeOrNull, typeField } from "../resource/ShownFields.ts"
import type { Timeline } from "../resource/Timeline.ts"
import { idFormat, isId, PersonalTokenId } from "../shared/Id.ts"
import { toRfc3339, toRfc3339OrNull } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import { RequestId } from "../shared/RequestId.ts"
import { line } from "../shared/Text.ts"
import { AccessStore } from "./AccessStore.ts"
import { Administration } from "./Administration.ts"
import { CreatedByDocument } from "./CreatedBy.ts"
import { type Issued, issued, type NewlyIssued, NotAUser } from "./Issued.ts"
import type { MakerEnded } from "./Lineage.ts"
import { maxLifetimeSeconds, type PersonalToken, reachOf } from "./PersonalToken.ts"

/** A personal token on the wire, without the token itself. */
export const PersonalTokenDocument = Schema.Struct({
  id: PersonalTokenId,
  type: typeField("accessToken"),
  name: Schema.String.annotate({ description: "Name for people, chosen on creation. It cannot change." }),
  account: Schema.String.annotate({ description: "The URN of the token's owner." }),
  lastFour: Schema.String.annotate({ description: "The last four characters of the token." }),
  createdAt,
  createdBy: CreatedByDocument,
  expiresAt: timeOrNull("When the token stops working. Null if it does not expire."),
  revokedAt,
  lastUsedAt: timeOrNull("Last use, to the minute. Null if the token was never used.")
})
export type PersonalTokenDocument = typeof PersonalTokenDocument.Type

export const PersonalTokenWrite = Schema.Struct({
  name: line(200).annotateKey({ description: "Name for people, to recognize the token in lists. It cannot change." }),
  expiresInSeconds: Schema.optionalKey(
    Schema.NullOr(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxLifetimeSeconds })).annotate({
        valueFormat: `a whole number of seconds from 1 to ${maxLifetimeSeconds}`
      })
    )
  ).annotateKey({
    description:
      "Lifetime in seconds; null for no expiry. If absent, the new token expires together with the token that " +
      "authenticates this call. A new token that would expire later is refused with 422."
  })
})
export type PersonalTokenWrite = typeof PersonalTokenWrite.Type

/** The personal tokens of a tenant's users (§5.2, items 2a and 8). Each user manages their own. */
export class PersonalTokens extends Context.Service<
  PersonalTokens,
  Issued<PersonalTokenDocument> & {
    /** POST: creates a token of the caller. Its privileges are the caller's current ones at each call. */
    readonly create: (
      write: PersonalTokenWrite
    ) => Effect.Effect<
      NewlyIssued<PersonalTokenDocument>,
      InvalidArgument | NotAUser | OutlivesMaker | MakerEnded | CollectionFull,
      Caller | RequestId
    >
  }
>()("@wcs/domain/PersonalTokens") {}

const personalTokens = { type: "accessToken", filters: {}, ends: true } as const satisfies Timeline<never>

/** Returns the document of a token, without the token itself. */
export const showToken = (token: PersonalToken): PersonalTokenDocument => ({
  id: token.id,
  type: "accessToken",
  name: token.name,
  account: accountUrn(token.accountId),
  lastFour: token.lastFour,
  createdAt: toRfc3339(token.createdAt),
  createdBy: token.createdBy,
  expiresAt: token.expiresAt === null ? null : toRfc3339(token.expiresAt * 1000),
  revokedAt: toRfc3339OrNull(token.revokedAt),
  lastUsedAt: toRfc3339OrNull(token.lastUsedAt)
})

export const make = Effect.gen(function* () {
  const store = yield* AccessStore
  const administration = yield* Administration
  const rules = yield* PrivilegeRules

  const create: PersonalTokens["Service"]["create"] = Effect.fn("PersonalTokens.create")(function* (write) {
    const caller = yield* Caller
    const owner = yield* store.findAccount(caller.tenantId, accountIdOf(caller.account))
    if (Option.isNone(owner) || owner.value.kind !== "user") return yield* new NotAUser({ account: caller.account })
    const actor = actorOf(caller, yield* RequestId)
    const { expiresInSeconds, name } = write
    const { secret, token } = yield* administration.createTokenFor(owner.value, name, expiresInSeconds, actor)
    return { document: showToken(token), secret }
  })

  const existing = issued<PersonalToken, PersonalTokenDocument>({
    timeline: personalTokens,
    entityType: "accessToken",
    isId: (text) => isId("personalToken", text),
    idFormat: idFormat("personalToken"),
    page: (caller, selection) => {
      const reach = reachOf(rules, caller, "READ")
      const own = { field: "accountId", value: accountIdOf(caller.account) } as const
      return store.personalTokens(caller.tenantId, { ...selection, conditions: reach === "own" ? [own] : [] })
    },
    find: (caller, operation, id) =>
      Effect.map(
        store.findPersonalTokenById(caller.tenantId, id),
        Option.filter(
          ({ accountId }) =>
            accountUrn(accountId) === caller.account || reachOf(rules, caller, operation) === "everybody's"
        )
      ),
    revoke: administration.revokeToken,
    revokeTree: administration.revokeTree,
    rules,
    show: showToken
  })

  return PersonalTokens.of({ ...existing, create })
})

export const layer = Layer.effect(PersonalTokens, make)
