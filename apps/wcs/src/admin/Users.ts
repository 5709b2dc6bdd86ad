import { everyPrivilege, type Role, RoleName } from "@wcs/domain/access/Privilege"
import { isLegacyLifetime } from "@wcs/domain/access/TokenLifetime"
import { Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Misused } from "../Output.ts"
import { readTextFile } from "../TextFile.ts"
import { perform, required, secondsOf, tenant } from "./Flags.ts"

const email = required("email", "Email address of the user")

const listUsers = Command.make("list-users", { tenant }, ({ tenant }) =>
  perform((client) => client.listUsers({ payload: { tenant } }))
).pipe(Command.withDescription("List the users, oldest first"))

const updateUser = Command.make(
  "update-user",
  {
    tenant,
    email,
    firstName: required("first-name", "First name of the user").pipe(Flag.optional),
    surname: required("surname", "Surname of the user").pipe(Flag.optional),
    role: Flag.Literals("role", RoleName.literals).pipe(Flag.withDescription("Role of the user"), Flag.optional),
    privileges: Flag.Literals("privilege", everyPrivilege).pipe(
      Flag.withDescription("A privilege such as worker:READ, instead of a role; can be repeated"),
      Flag.withMetavar("entity:OPERATION"),
      Flag.atLeast(0)
    )
  },
  Effect.fnUntraced(function* ({ email, firstName, privileges, role, surname, tenant }) {
    if (Option.isSome(role) && privileges.length > 0) {
      return yield* new Misused({ message: "update-user accepts either --role or --privilege, not both" })
    }
    const granted: Option.Option<Role> = privileges.length > 0 ? Option.some(privileges) : role
    yield* perform((client) =>
      client.updateUser({
        payload: {
          tenant,
          email,
          ...Option.match(firstName, { onNone: () => ({}), onSome: (firstName) => ({ firstName }) }),
          ...Option.match(surname, { onNone: () => ({}), onSome: (surname) => ({ surname }) }),
          ...Option.match(granted, { onNone: () => ({}), onSome: (role) => ({ role }) })
        }
      })
    )
  })
).pipe(
  Command.withDescription(
    "Change the name or role of a user; a role without apiClient CREATE revokes the user's OAuth clients"
  )
)

/** Reads the first line of a file, or of standard input for `-`. Passwords must not appear in command lines. */
const readPassword = (file: string) =>
  Effect.map(readTextFile(file), (content) => Redacted.make(content.split(/\r?\n/, 1)[0] ?? ""))

const setPassword = Command.make(
  "set-password",
  {
    tenant,
    email,
    passwordFile: required("password-file", "File with the password in its first line; - for standard input")
  },
  Effect.fnUntraced(function* ({ email, passwordFile, tenant }) {
    const password = yield* readPassword(passwordFile)
    yield* perform((client) => client.setPassword({ payload: { tenant, email, password } }))
  })
).pipe(Command.withDescription("Set the password of a user and revoke the legacy tokens of the old password"))

const verifyUser = Command.make("verify-user", { tenant, email }, ({ email, tenant }) =>
  perform((client) => client.setVerified({ payload: { tenant, email, verified: true } }))
).pipe(Command.withDescription("Mark the account of a user as verified"))

const unverifyUser = Command.make("unverify-user", { tenant, email }, ({ email, tenant }) =>
  perform((client) => client.setVerified({ payload: { tenant, email, verified: false } }))
).pipe(Command.withDescription("Mark the account of a user as not verified"))

const deactivateUser = Command.make("deactivate-user", { tenant, email }, ({ email, tenant }) =>
  perform((client) => client.setActive({ payload: { tenant, email, active: false } }))
).pipe(Command.withDescription("Deactivate a user on both surfaces and revoke the OAuth clients of the user"))

const activateUser = Command.make("activate-user", { tenant, email }, ({ email, tenant }) =>
  perform((client) => client.setActive({ payload: { tenant, email, active: true } }))
).pipe(Command.withDescription("Reactivate a user; sessions, tokens and OAuth clients stay revoked"))

const resetSecondFactor = Command.make("reset-second-factor", { tenant, email }, ({ email, tenant }) =>
  perform((client) => client.resetSecondFactor({ payload: { tenant, email } }))
).pipe(
  Command.withDescription(
    "Remove the authenticator app and recovery codes of a locked-out user, and end the sessions of the user"
  )
)

const listLegacyTokens = Command.make("list-legacy-tokens", { tenant, email }, ({ email, tenant }) =>
  perform((client) => client.listLegacyTokens({ payload: { tenant, email } }))
).pipe(Command.withDescription("List the legacy tokens of a user, oldest first"))

const createLegacyToken = Command.make(
  "create-legacy-token",
  { tenant, email, expiresIn: required("expires-in", "Lifetime, such as 30d, 12h, 30m or 45s") },
  Effect.fnUntraced(function* ({ email, expiresIn, tenant }) {
    const lifetimeSeconds = secondsOf(expiresIn)
    if (!isLegacyLifetime(lifetimeSeconds)) {
      return yield* new Misused({
        message: "--expires-in must be a number with s, m, h or d, such as 30d, at most 90d"
      })
    }
    yield* perform((client) => client.createLegacyToken({ payload: { tenant, email, lifetimeSeconds } }))
  })
).pipe(Command.withDescription("Create a legacy token for a user; it is shown only once"))

const revokeLegacyToken = Command.make(
  "revoke-legacy-token",
  { tenant, id: Argument.String("id").pipe(Argument.withDescription("Id of the token, its `jti`")) },
  ({ id, tenant }) => perform((client) => client.revokeLegacyToken({ payload: { tenant, id } }))
).pipe(Command.withDescription("Revoke a legacy token immediately"))

const endLegacyTokens = Command.make("end-legacy-tokens", { tenant, email }, ({ email, tenant }) =>
  perform((client) => client.endLegacyTokens({ payload: { tenant, email } }))
).pipe(Command.withDescription("Revoke all legacy tokens of a user"))

const setAbn = Command.make(
  "set-abn",
  { tenant, abn: Argument.String("abn").pipe(Argument.withDescription("11 digits")) },
  ({ abn, tenant }) => perform((client) => client.setAbn({ payload: { tenant, abn } }))
).pipe(Command.withDescription("Set the Australian Business Number of the organization"))

/** The commands for users and their legacy tokens. */
export const userSubcommands = [
  listUsers,
  updateUser,
  setPassword,
  verifyUser,
  unverifyUser,
  deactivateUser,
  activateUser,
  resetSecondFactor,
  listLegacyTokens,
  createLegacyToken,
  revokeLegacyToken,
  endLegacyTokens,
  setAbn
] as const
