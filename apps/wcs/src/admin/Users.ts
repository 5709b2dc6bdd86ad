import type { Role } from "@wcs/domain/access/Privilege"
import { isLegacyLifetime } from "@wcs/domain/access/TokenLifetime"
import { Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { Misused } from "../Output.ts"
import { readTextFile } from "../TextFile.ts"
import { argument, command, email, orNull, perform, required, role, secondsOf, tenant } from "./Flags.ts"

const updateUser = Command.make(
  "update-user",
  {
    tenant,
    email,
    firstName: orNull(required("first-name", "First name of the user")),
    surname: orNull(required("surname", "Surname of the user")),
    ...role
  },
  Effect.fnUntraced(function* ({ privileges, role, ...given }) {
    if (Option.isSome(role) && privileges.length > 0) {
      return yield* new Misused({ message: "update-user accepts either --role or --privilege, not both" })
    }
    const granted: Role | null = privileges.length > 0 ? privileges : Option.getOrNull(role)
    yield* perform((client) => client.updateUser({ payload: { ...given, role: granted } }))
  })
).pipe(
  Command.withDescription(
    "Change the name or role of a user; a role without apiClient CREATE revokes the user's OAuth clients"
  )
)

const limitUser = Command.make(
  "limit-user",
  {
    tenant,
    email,
    units: Flag.String("unit").pipe(
      Flag.withDescription("Id of a unit, which list-units shows; can be repeated"),
      Flag.atLeast(0)
    ),
    everybody: Flag.Boolean("everybody").pipe(
      Flag.withDescription("Remove the limit: the user reaches the people of all units"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ everybody, units, ...user }) {
    if (everybody === units.length > 0) {
      return yield* new Misused({ message: "limit-user needs either --everybody or at least one --unit" })
    }
    yield* perform((client) => client.limitUser({ payload: { ...user, units: everybody ? null : units } }))
  })
).pipe(Command.withDescription("Limit a user to the people of some units and of all units below them"))

const setPassword = Command.make(
  "set-password",
  {
    tenant,
    email,
    passwordFile: required("password-file", "File with the password in its first line; - for standard input")
  },
  // Passwords must not appear in command lines.
  Effect.fnUntraced(function* ({ passwordFile, ...user }) {
    const password = Redacted.make((yield* readTextFile(passwordFile)).split(/\r?\n/, 1)[0] ?? "")
    yield* perform((client) => client.setPassword({ payload: { ...user, password } }))
  })
).pipe(Command.withDescription("Set the password of a user and revoke the legacy tokens of the old password"))

const createLegacyToken = Command.make(
  "create-legacy-token",
  { tenant, email, expiresIn: required("expires-in", "Lifetime, such as 30d, 12h, 30m or 45s") },
  Effect.fnUntraced(function* ({ expiresIn, ...user }) {
    const lifetimeSeconds = secondsOf(expiresIn)
    if (!isLegacyLifetime(lifetimeSeconds)) {
      return yield* new Misused({
        message: "--expires-in must be a number with s, m, h or d, such as 30d, at most 90d"
      })
    }
    yield* perform((client) => client.createLegacyToken({ payload: { ...user, lifetimeSeconds } }))
  })
).pipe(Command.withDescription("Create a legacy token for a user; it is shown only once"))

/** The commands for users and their legacy tokens. */
export const userSubcommands = [
  command("list-users", "List the users, oldest first", { tenant }, (client, payload) => client.listUsers({ payload })),
  updateUser,
  command("list-units", "List the units of the organization by name", { tenant }, (client, payload) =>
    client.listUnits({ payload })
  ),
  limitUser,
  setPassword,
  command("verify-user", "Mark the account of a user as verified", { tenant, email }, (client, user) =>
    client.setVerified({ payload: { ...user, verified: true } })
  ),
  command("unverify-user", "Mark the account of a user as not verified", { tenant, email }, (client, user) =>
    client.setVerified({ payload: { ...user, verified: false } })
  ),
  command(
    "deactivate-user",
    "Deactivate a user on both surfaces and revoke the OAuth clients of the user",
    { tenant, email },
    (client, user) => client.setActive({ payload: { ...user, active: false } })
  ),
  command(
    "activate-user",
    "Reactivate a user; sessions, tokens and OAuth clients stay revoked",
    { tenant, email },
    (client, user) => client.setActive({ payload: { ...user, active: true } })
  ),
  command(
    "reset-second-factor",
    "Remove the authenticator app and recovery codes of a locked-out user, and end the sessions of the user",
    { tenant, email },
    (client, payload) => client.resetSecondFactor({ payload })
  ),
  command(
    "list-legacy-tokens",
    "List the legacy tokens of a user, oldest first",
    { tenant, email },
    (client, payload) => client.listLegacyTokens({ payload })
  ),
  createLegacyToken,
  command(
    "revoke-legacy-token",
    "Revoke a legacy token immediately",
    { tenant, id: argument("id", "Id of the token, its `jti`") },
    (client, payload) => client.revokeLegacyToken({ payload })
  ),
  command("end-legacy-tokens", "Revoke all legacy tokens of a user", { tenant, email }, (client, payload) =>
    client.endLegacyTokens({ payload })
  ),
  command(
    "set-abn",
    "Set the Australian Business Number of the organization",
    { tenant, abn: argument("abn", "11 digits") },
    (client, payload) => client.setAbn({ payload })
  )
] as const
