import type { AdminClient } from "@wcs/admin/AdminClient"
import { everyPrivilege, RoleName } from "@wcs/domain/access/Privilege"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Json } from "../Json.ts"
import { operate, type Work } from "../Operating.ts"
import { type Result, show } from "../Output.ts"

/** Sends parameters and prints the result. */
export const perform = Effect.fnUntraced(function* (send: Work<Result>) {
  yield* show(yield* operate(send), yield* Json)
})

/** A command that sends its flags and prints the result. */
export const command = <const Name extends string, const Config extends Command.Command.Config>(
  name: Name,
  description: string,
  config: Config,
  send: (client: AdminClient, given: Command.Command.Config.Infer<Config>) => ReturnType<Work<Result>>
) =>
  Command.make(name, config, (given) => perform((client) => send(client, given))).pipe(
    Command.withDescription(description)
  )

/** A required flag. */
export const required = (name: string, description: string) => Flag.String(name).pipe(Flag.withDescription(description))

/** A flag whose value is null if it is absent. */
export const orNull = <A>(flag: Flag.Flag<A>) => flag.pipe(Flag.optional, Flag.map(Option.getOrNull))

export const argument = (name: string, description: string) =>
  Argument.String(name).pipe(Argument.withDescription(description))

export const tenant = orNull(required("tenant", "Name or id of the tenant; optional if there is only one"))

/** The tenant of a command that otherwise concerns all of them. */
export const allTenants = orNull(required("tenant", "Name or id of the tenant; default: all tenants"))

export const email = required("email", "Email address of the user")

/** The role of a user, or single privileges. */
export const role = {
  role: Flag.Literals("role", RoleName.literals).pipe(Flag.withDescription("Role of the user"), Flag.optional),
  privileges: Flag.Literals("privilege", everyPrivilege).pipe(
    Flag.withDescription("A privilege such as worker:READ, instead of a role; can be repeated"),
    Flag.withMetavar("entity:OPERATION"),
    Flag.atLeast(0)
  )
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Parses `90d`, `12h`, `30m` or `45s` to seconds. NaN if invalid. */
export const secondsOf = (text: string): number => {
  const [, count, unit] = /^([1-9]\d{0,9})([smhd])$/.exec(text) ?? []
  return Number(count) * (unitSeconds[unit ?? ""] ?? 0)
}
