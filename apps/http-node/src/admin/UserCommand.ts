import { accountUrn, normalizeEmail } from "@wcs/domain/access/Account"
import { NoSuch } from "@wcs/domain/access/NoSuch"
import { Role } from "@wcs/domain/access/Privilege"
import type { Actor } from "@wcs/domain/audit/AuditEntry"
import type { LegacyToken } from "@wcs/domain/legacy/LegacyToken"
import { SecondFactors } from "@wcs/domain/login/SecondFactors"
import { toRfc3339, toRfc3339OrNull } from "@wcs/domain/shared/Instant"
import type { User } from "@wcs/domain/user/User"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Users } from "@wcs/domain/user/Users"
import { Effect, Option, Redacted, Schema } from "effect"

const tenant = Schema.NullOr(Schema.String)
const email = Schema.String

/** The commands of `wcs admin` for users, passwords and legacy tokens. */
export const userCommands = [
  Schema.TaggedStruct("ListUsers", { tenant }),
  Schema.TaggedStruct("UpdateUser", {
    tenant,
    email,
    firstName: Schema.optionalKey(Schema.String),
    surname: Schema.optionalKey(Schema.String),
    role: Schema.optionalKey(Role)
  }),
  Schema.TaggedStruct("SetPassword", { tenant, email, password: Schema.RedactedFromValue(Schema.String) }),
  Schema.TaggedStruct("SetVerified", { tenant, email, verified: Schema.Boolean }),
  Schema.TaggedStruct("SetActive", { tenant, email, active: Schema.Boolean }),
  Schema.TaggedStruct("ResetSecondFactor", { tenant, email }),
  Schema.TaggedStruct("ListLegacyTokens", { tenant, email }),
  Schema.TaggedStruct("CreateLegacyToken", { tenant, email, lifetimeSeconds: Schema.Finite }),
  Schema.TaggedStruct("RevokeLegacyToken", { tenant, id: Schema.String }),
  Schema.TaggedStruct("EndLegacyTokens", { tenant, email }),
  Schema.TaggedStruct("SetAbn", { tenant, abn: Schema.String })
] as const

const UserCommand = Schema.Union(userCommands)
export type UserCommand = typeof UserCommand.Type

/** Whether a command is a user command. */
export const isUserCommand = Schema.is(UserCommand)

const showUser = ({ account, firstName, number, passwordHash, surname, verifiedAt }: User) => ({
  number,
  account: accountUrn(account.id),
  email: account.email,
  firstName,
  surname,
  role: account.role,
  hasPassword: passwordHash !== null,
  verifiedAt: toRfc3339OrNull(verifiedAt),
  deactivatedAt: toRfc3339OrNull(account.deactivatedAt)
})

const showLegacyToken = ({ expiresAt, id, issuedAt, revokedAt }: LegacyToken) => ({
  id,
  issuedAt: toRfc3339(issuedAt),
  expiresAt: toRfc3339(expiresAt * 1000),
  revokedAt: toRfc3339OrNull(revokedAt)
})

/** The page size, and the maximum number of rows in a result. */
const pageSize = 500
const rowsMax = 100_000

/** Reads all pages of a list. */
const everyPage = Effect.fnUntraced(function* <Row, Key>(
  first: Key,
  keyOf: (row: Row) => Key,
  page: (after: Key) => Effect.Effect<ReadonlyArray<Row>>
) {
  const rows: Array<Row> = []
  let after = first
  while (rows.length < rowsMax) {
    const found = yield* page(after)
    rows.push(...found)
    const last = found.at(-1)
    if (last === undefined || found.length < pageSize) break
    after = keyOf(last)
  }
  return rows
})

/** Finds the user with an email. */
const existing = Effect.fnUntraced(function* (tenantId: string, email: string) {
  const found = yield* UserStore.use((store) => store.findByEmail(tenantId, normalizeEmail(email)))
  return Option.isSome(found) ? found.value : yield* new NoSuch({ what: "user", id: email })
})

/** Runs a command in a tenant. */
export const perform = Effect.fnUntraced(function* (tenantId: string, command: UserCommand, actor: Actor) {
  const store = yield* UserStore
  const users = yield* Users
  switch (command._tag) {
    case "ListUsers": {
      const all = yield* everyPage(
        0,
        ({ number }: User) => number,
        (after) => store.list(tenantId, after, pageSize)
      )
      return { users: all.map(showUser) }
    }
    case "UpdateUser": {
      const { _tag, email, tenant, ...update } = command
      return showUser(yield* users.update(tenantId, email, update, actor))
    }
    case "SetPassword":
      return showUser(yield* users.setPassword(tenantId, command.email, command.password, actor))
    case "SetVerified":
      return showUser(yield* users.setVerified(tenantId, command.email, command.verified, actor))
    case "SetActive":
      return showUser(yield* users.setActive(tenantId, command.email, command.active, actor))
    case "ResetSecondFactor": {
      const { account } = yield* existing(tenantId, command.email)
      const factors = yield* SecondFactors
      return { account: accountUrn(account.id), email: account.email, reset: yield* factors.reset(account, actor) }
    }
    case "ListLegacyTokens": {
      const { account } = yield* existing(tenantId, command.email)
      const all = yield* everyPage(
        "",
        ({ id }: LegacyToken) => id,
        (after) => store.listLegacyTokens(tenantId, account.id, after, pageSize)
      )
      return { legacyTokens: all.map(showLegacyToken) }
    }
    case "CreateLegacyToken": {
      const granted = yield* users.createToken(tenantId, command.email, command.lifetimeSeconds, actor)
      return {
        id: granted.id,
        token: Redacted.value(granted.token),
        expiresAt: toRfc3339(granted.expiresAt * 1000)
      }
    }
    case "RevokeLegacyToken":
      return yield* Effect.as(users.revokeToken(tenantId, command.id, actor), { id: command.id, revoked: true })
    case "EndLegacyTokens":
      return showUser(yield* users.endTokens(tenantId, command.email, actor))
    case "SetAbn":
      return yield* Effect.as(users.setAbn(tenantId, command.abn, actor), { abn: command.abn })
  }
})
