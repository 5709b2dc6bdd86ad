import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { secretsIn } from "@wcs/conformance/init/Files"
import { load as loadProfile } from "@wcs/conformance/profile/ProfileFile"
import { load as loadBaseline } from "@wcs/conformance/report/BaselineFile"
import { readTextFile } from "@wcs/conformance/text/TextFile"
import { Effect } from "effect"
import { inFolder } from "./CommandLine.ts"

/** A text as Notepad of Windows saves it. */
const saved = (text: string): string => `\uFEFF${text.replaceAll("\n", "\r\n")}`

const profile = `version: 1
name: staging
newer:
  tenantBaseUrl: https://wcs.example
  admin: { clientId: one, clientSecret: { env: CONF_ADMIN_SECRET } }
`

describe("text files of Windows", () => {
  it("are a profile, a baseline and a file of secrets", () =>
    inFolder(async (folder) => {
      const write = (name: string, text: string) => {
        writeFileSync(join(folder, name), text)
        return join(folder, name)
      }
      const outcome = <A, E extends { readonly message: string }>(loaded: Effect.Effect<A, E>) =>
        Effect.runPromise(Effect.match(loaded, { onFailure: ({ message }) => message, onSuccess: JSON.stringify }))
      const read = await outcome(loadProfile(write("profile.yaml", saved(profile))))
      assert.strictEqual(read, await outcome(loadProfile(write("profile.yaml", profile))))
      const baseline = saved('{\n"entries": []\n}\n')
      assert.strictEqual(await outcome(loadBaseline(write("baseline.json", baseline))), '{"entries":[]}')
      const secrets = secretsIn(readTextFile(write("conformance.env", saved("CONF_ADMIN_SECRET=kept\n"))))
      assert.deepStrictEqual([...secrets], [["CONF_ADMIN_SECRET", "kept"]])
    }))
})
