import { readFile } from "node:fs/promises"
import { text } from "node:stream/consumers"
import { everyPrivilege, type Role, RoleName } from "@wcs/domain/access/Privilege"
import { isLegacyLifetime } from "@wcs/domain/access/TokenLifetime"
import { Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { perform, required, secondsOf, tenant } from "./AdminFlags.ts"
import { Misused } from "./Output.ts"

const email = required("email", "The user's email address")

const listUsers = Command.make("list-users", { tenant }, ({ tenant }) => perform({ _tag: "ListUsers", tenant })).pipe(
  Command.withDescription("List the users, the oldest first")
)

const updateUser = Command.make(
  "update-user",
  {
    tenant,
    email,
    firstName: required("first-name", "The user's first name").pipe(Flag.optional),
    surname: required("surname", "The user's surname").pipe(Flag.optional),
    role: Flag.Literals("role", RoleName.literals).pipe(Flag.withDescription("What the user may do"), Flag.optional),
    privileges: Flag.Literals("privilege", everyPrivilege).pipe(
      Flag.withDescription("Instead of a role, one privilege such as worker:READ; may be repeated"),
      Flag.withMetavar("entity:OPERATION"),
      Flag.atLeast(0)
    )
  },
  Effect.fnUntraced(function* ({ email, firstName, privileges, role, surname, tenant }) {
    if (Option.isSome(role) && privileges.length > 0) {
      return yield* new Misused({ message: "update-user takes either --role or --privilege" })
    }
    const granted: Option.Option<Role> = privileges.length > 0 ? Option.some(privileges) : role
    yield* perform({
      _tag: "UpdateUser",
      tenant,
      email,
      ...Option.match(firstName, { onNone: () => ({}), onSome: (firstName) => ({ firstName }) }),
      ...Option.match(surname, { onNone: () => ({}), onSome: (surname) => ({ surname }) }),
      ...Option.match(granted, { onNone: () => ({}), onSome: (role) => ({ role }) })
    })
  })
).pipe(
  Command.withDescription("Change a user's name or role; a role without apiClient CREATE ends the user's OAuth clients")
)

/** The first line of a file, or of standard input where the file is `-`: a password stands in no command line. */
const readPassword = (file: string) =>
  Effect.tryPromise({
    try: () => (file === "-" ? text(process.stdin) : readFile(file, "utf8")),
    catch: () => new Misused({ message: `${file} cannot be read` })
  }).pipe(Effect.map((content) => Redacted.make(content.split(/\r?\n/, 1)[0] ?? "")))

const setPassword = Command.make(
  "set-password",
  {
    tenant,
    email,
    passwordFile: required("password-file", "A file whose first line is the password; - is standard input")
  },
  Effect.fnUntraced(function* ({ email, passwordFile, tenant }) {
    yield* perform({ _tag: "SetPassword", tenant, email, password: yield* readPassword(passwordFile) })
  })
).pipe(Command.withDescription("Give a user a password for the legacy surface, and end the tokens of the old one"))

const verifyUser = Command.make("verify-user", { tenant, email }, ({ email, tenant }) =>
  perform({ _tag: "SetVerified", tenant, email, verified: true })
).pipe(Command.withDescription("Vouch for a user's account"))

const unverifyUser = Command.make("unverify-user", { tenant, email }, ({ email, tenant }) =>
  perform({ _tag: "SetVerified", tenant, email, verified: false })
).pipe(Command.withDescription("Take that back"))

const deactivateUser = Command.make("deactivate-user", { tenant, email }, ({ email, tenant }) =>
  perform({ _tag: "SetActive", tenant, email, active: false })
).pipe(Command.withDescription("Shut a user out of both surfaces, and end the OAuth clients that the user made"))

const activateUser = Command.make("activate-user", { tenant, email }, ({ email, tenant }) =>
  perform({ _tag: "SetActive", tenant, email, active: true })
).pipe(
  Command.withDescription("Let a user in again: personal tokens live again, legacy tokens and OAuth clients do not")
)

const resetSecondFactor = Command.make("reset-second-factor", { tenant, email }, ({ email, tenant }) =>
  perform({ _tag: "ResetSecondFactor", tenant, email })
).pipe(
  Command.withDescription(
    "Remove the authenticator app and recovery codes of a user who is locked out, and end the user's sessions"
  )
)

const listLegacyTokens = Command.make("list-legacy-tokens", { tenant, email }, ({ email, tenant }) =>
  perform({ _tag: "ListLegacyTokens", tenant, email })
).pipe(Command.withDescription("List a user's tokens of the legacy surface, the oldest first"))

const createLegacyToken = Command.make(
  "create-legacy-token",
  { tenant, email, expiresIn: required("expires-in", "When it ends, such as 30d, 12h, 30m or 45s") },
  Effect.fnUntraced(function* ({ email, expiresIn, tenant }) {
    const lifetimeSeconds = secondsOf(expiresIn)
    if (!isLegacyLifetime(lifetimeSeconds)) {
      return yield* new Misused({
        message: "--expires-in takes a number and s, m, h or d, such as 30d, and at most 90d"
      })
    }
    yield* perform({ _tag: "CreateLegacyToken", tenant, email, lifetimeSeconds })
  })
).pipe(Command.withDescription("Make a token of the legacy surface for a user; it is shown this once"))

const revokeLegacyToken = Command.make(
  "revoke-legacy-token",
  { tenant, id: Argument.String("id").pipe(Argument.withDescription("The token's id, its `jti`")) },
  ({ id, tenant }) => perform({ _tag: "RevokeLegacyToken", tenant, id })
).pipe(Command.withDescription("End one token of the legacy surface at once"))

const endLegacyTokens = Command.make("end-legacy-tokens", { tenant, email }, ({ email, tenant }) =>
  perform({ _tag: "EndLegacyTokens", tenant, email })
).pipe(Command.withDescription("End every token that a user has for the legacy surface"))

const setAbn = Command.make(
  "set-abn",
  { tenant, abn: Argument.String("abn").pipe(Argument.withDescription("11 digits")) },
  ({ abn, tenant }) => perform({ _tag: "SetAbn", tenant, abn })
).pipe(Command.withDescription("Tell the organization's Australian Business Number"))

/** People who log in, and what they hold on the legacy surface. */
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
