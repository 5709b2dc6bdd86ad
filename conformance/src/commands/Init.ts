import { existsSync, writeFileSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { initialProfile } from "../InitialProfile.ts"
import { isOrigin } from "../Profile.ts"
import { profileSchemaFile } from "../ProfileSchema.ts"
import { secretVariable } from "../ZeroConfiguration.ts"
import { Refused } from "./Refused.ts"

const publishedSchema = fileURLToPath(new URL(`../../${profileSchemaFile}`, import.meta.url))

/** A profile to go on from. */
export const initCommand = Command.make(
  "init",
  {
    tenant: Flag.String("tenant").pipe(Flag.withDescription("The tenant's base URL, such as https://t1.example")),
    clientId: Flag.String("client-id").pipe(Flag.withDescription("The id of an OAuth client")),
    secret: Flag.String("secret").pipe(
      Flag.withDescription("The environment variable that holds the client's secret"),
      Flag.withDefault(secretVariable)
    ),
    name: Flag.String("name").pipe(
      Flag.withDescription("What reports call the deployment"),
      Flag.withDefault("staging")
    ),
    out: Flag.String("out").pipe(
      Flag.withAlias("o"),
      Flag.withDescription("The file; never overwritten"),
      Flag.withDefault("conformance.yaml")
    )
  },
  Effect.fnUntraced(function* ({ clientId, name, out, secret, tenant }) {
    if (!isOrigin(tenant)) {
      return yield* new Refused({ message: "--tenant takes a URL of scheme, host and port alone" })
    }
    if (!/^[A-Z_][A-Z0-9_]*$/.test(secret)) {
      return yield* new Refused({ message: "--secret takes the name of an environment variable, never the secret" })
    }
    if (existsSync(out)) return yield* new Refused({ message: `${out} is there already` })
    const schema = relative(dirname(resolve(out)), publishedSchema)
    writeFileSync(out, initialProfile({ name, tenantBaseUrl: tenant, clientId, secretVariable: secret, schema }))
    yield* Console.log(`${out} is written: put the secret into ${secret}, and see wcs-conformance plan -p ${out}`)
  })
).pipe(Command.withDescription("Write a profile to go on from, with every further line explained"))
