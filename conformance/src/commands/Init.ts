import { existsSync, writeFileSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { initialProfile } from "../profile/InitialProfile.ts"
import { profileSchemaFile } from "../profile/ProfileSchema.ts"
import { secretVariable } from "../profile/ZeroConfiguration.ts"
import { schemaFrom } from "../release/PackageFile.ts"
import { calledAs } from "./CalledAs.ts"
import { Refused } from "./Refused.ts"
import { caFlag, certificates, tenantUrl } from "./Target.ts"

/** The next steps after a profile was written. */
const nextSteps = (file: string, secret: string): string => {
  const command = calledAs(process.env)
  const steps = [
    [`read -rs ${secret}; export ${secret}`, "enter the client's secret; the input is hidden"],
    [`${command} doctor -p ${file}`, "check that a run has everything it needs"],
    [`${command} run -p ${file}`, "judge the deployment; --ceiling read creates nothing"],
    [`${command} plan -p ${file}`, "list what to add to the file to judge more rules"]
  ] as const
  const width = Math.max(...steps.map(([command]) => command.length))
  const lines = steps.map(([command, what]) => `  ${command.padEnd(width)}  # ${what}`)
  return [`${file} is written. Next steps:`, ...lines].join("\n")
}

/** Writes a first profile. */
export const initCommand = Command.make(
  "init",
  {
    tenant: Flag.String("tenant").pipe(
      Flag.withDescription("The tenant's base URL, such as https://t1.example"),
      Flag.optional
    ),
    clientId: Flag.String("client-id").pipe(Flag.withDescription("The id of an OAuth client"), Flag.optional),
    secret: Flag.String("secret").pipe(
      Flag.withDescription("The environment variable that holds the client's secret"),
      Flag.withDefault(secretVariable)
    ),
    ca: caFlag,
    name: Flag.String("name").pipe(
      Flag.withDescription("Name of the deployment in reports; default: its host"),
      Flag.optional
    ),
    out: Flag.String("out").pipe(
      Flag.withAlias("o"),
      Flag.withDescription("The file to write; an existing file is never overwritten"),
      Flag.withDefault("conformance.yaml")
    )
  },
  Effect.fnUntraced(function* ({ ca, clientId, name, out, secret, tenant }) {
    if (Option.isNone(tenant) || Option.isNone(clientId)) {
      return yield* new Refused({
        message: "no deployment given: use init --tenant https://t1.example --client-id ID, the id of an OAuth client"
      })
    }
    const url = yield* tenantUrl(tenant.value)
    if (clientId.value.trim() === "") {
      return yield* new Refused({ message: "--client-id is empty: give the id of an OAuth client" })
    }
    if (Option.isSome(ca)) yield* certificates(ca.value)
    if (!/^[A-Z_][A-Z0-9_]*$/.test(secret)) {
      return yield* new Refused({ message: "--secret takes the name of an environment variable, never the secret" })
    }
    if (existsSync(out)) return yield* new Refused({ message: `${out} already exists` })
    const fromProfile = (file: string) => relative(dirname(resolve(out)), resolve(file))
    const beginning = {
      name: Option.getOrElse(name, () => new URL(url).host),
      tenantBaseUrl: url,
      clientId: clientId.value,
      secretVariable: secret,
      schema: schemaFrom(out, profileSchemaFile),
      ...(Option.isSome(ca) ? { caFile: fromProfile(ca.value) } : {})
    }
    const text = initialProfile(beginning)
    yield* Effect.try({
      try: () => writeFileSync(out, text, { flag: "wx" }),
      catch: () => new Refused({ message: `--out: ${out} cannot be written` })
    })
    yield* Console.log(nextSteps(out, secret))
  })
).pipe(Command.withDescription("Write a first profile, in which every optional entry is explained"))
