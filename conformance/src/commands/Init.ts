import { existsSync, writeFileSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { initialProfile } from "../profile/InitialProfile.ts"
import { profileSchemaFile } from "../profile/ProfileSchema.ts"
import { secretVariable } from "../profile/ZeroConfiguration.ts"
import { calledAs } from "./CalledAs.ts"
import { Refused } from "./Refused.ts"
import { caFlag, certificates, tenantUrl } from "./Target.ts"

const publishedSchema = fileURLToPath(new URL(`../../${profileSchemaFile}`, import.meta.url))

/** What to do once a profile is begun, in the order in which one would. */
const nextSteps = (file: string, secret: string): string => {
  const command = calledAs(process.env)
  const steps = [
    [`read -rs ${secret}; export ${secret}`, "waits for the client's secret, and shows nothing of it"],
    [`${command} doctor -p ${file}`, "would a run have what it needs?"],
    [`${command} run -p ${file}`, "judges; with --ceiling read it makes nothing there"],
    [`${command} plan -p ${file}`, "what to add to the file to have more judged"]
  ] as const
  const width = Math.max(...steps.map(([command]) => command.length))
  const lines = steps.map(([command, what]) => `  ${command.padEnd(width)}  # ${what}`)
  return [`${file} is written. Next:`, ...lines].join("\n")
}

/** A profile to go on from. */
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
      Flag.withDescription("What reports call the deployment; its host where it is left out"),
      Flag.optional
    ),
    out: Flag.String("out").pipe(
      Flag.withAlias("o"),
      Flag.withDescription("The file; never overwritten"),
      Flag.withDefault("conformance.yaml")
    )
  },
  Effect.fnUntraced(function* ({ ca, clientId, name, out, secret, tenant }) {
    if (Option.isNone(tenant) || Option.isNone(clientId)) {
      return yield* new Refused({
        message: "say where the deployment is: init --tenant https://t1.example --client-id ID, an OAuth client's"
      })
    }
    const url = yield* tenantUrl(tenant.value)
    if (clientId.value.trim() === "") {
      return yield* new Refused({ message: "--client-id takes the id of an OAuth client, and is empty" })
    }
    if (Option.isSome(ca)) yield* certificates(ca.value)
    if (!/^[A-Z_][A-Z0-9_]*$/.test(secret)) {
      return yield* new Refused({ message: "--secret takes the name of an environment variable, never the secret" })
    }
    if (existsSync(out)) return yield* new Refused({ message: `${out} is there already` })
    const fromProfile = (file: string) => relative(dirname(resolve(out)), resolve(file))
    const beginning = {
      name: Option.getOrElse(name, () => new URL(url).host),
      tenantBaseUrl: url,
      clientId: clientId.value,
      secretVariable: secret,
      schema: fromProfile(publishedSchema),
      ...(Option.isSome(ca) ? { caFile: fromProfile(ca.value) } : {})
    }
    const text = initialProfile(beginning)
    yield* Effect.try({
      try: () => writeFileSync(out, text, { flag: "wx" }),
      catch: () => new Refused({ message: `--out: ${out} cannot be written` })
    })
    yield* Console.log(nextSteps(out, secret))
  })
).pipe(Command.withDescription("Write a profile to go on from, with every further line explained"))
