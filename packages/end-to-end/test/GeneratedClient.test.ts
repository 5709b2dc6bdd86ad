import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import openapiTS, { astToString } from "openapi-typescript"
import { ask, serving, temporaryDirectory } from "./Process.ts"

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

const readme = readFileSync(pathOf("../../../packages/api/README.md"), "utf8")

/** The program that the README prints. */
const [, tour = ""] = /^```ts\n(.*?)^```$/ms.exec(readme) ?? []

/** Mistakes that the generated types must reject. The compiler reports each missing error, too. */
const mistakes = `
import createClient from "openapi-fetch"
import type { paths } from "./contract.ts"

const { GET, PATCH, POST } = createClient<paths>()
const params = { path: { id: "wkr_0123456789abcdef" } }

// @ts-expect-error: there is no such path
await GET("/openapi/v1/werkers")
// @ts-expect-error: the path has an id
await GET("/openapi/v1/workers/{id}")
// @ts-expect-error: a number is expected, not a string
await GET("/openapi/v1/workers", { params: { query: { pageSize: "many" } } })
// @ts-expect-error: there is no such filter
await GET("/openapi/v1/workers", { params: { query: { shoeSize: 44 } } })
// @ts-expect-error: a worker has a display name
await POST("/openapi/v1/workers", { body: { identity: {} } })
// @ts-expect-error: there is no such kind of credential
await POST("/openapi/v1/credentials", { body: { attributes: { credentialType: "WWCC_MARS" } } })
// @ts-expect-error: owners are workers and applicants
await POST("/openapi/v1/credentials/{id}/link", { params, body: { type: "robot", id: "wkr_0123456789abcdef" } })
// @ts-expect-error: a merge patch has the types of the resource
await PATCH("/openapi/v1/workers/{id}", { params, body: { identity: { displayName: 7 } } })
const { data, error } = await GET("/openapi/v1/workers/{id}", { params })
// @ts-expect-error: the data may be undefined
data.data.id
// @ts-expect-error: a worker has no such field
data?.data.salary
// @ts-expect-error: no call has this error code
const isOdd = error !== undefined && "error" in error && error.error.code === "ODD"
`

/** The project's own strictness, and nothing else. */
const configuration = JSON.stringify({
  extends: pathOf("../../../tsconfig.base.json"),
  compilerOptions: { composite: false, noEmit: true, skipLibCheck: false, types: ["node"] },
  include: ["*.ts"]
})

/** A folder from which this package's modules are found; it is gone after the test. */
const folder = Effect.acquireRelease(
  Effect.sync(() => {
    mkdirSync(pathOf("../dist"), { recursive: true })
    return mkdtempSync(pathOf("../dist/client-"))
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const node = (args: ReadonlyArray<string>, cwd: string, environment: Readonly<Record<string, string>> = {}) => {
  const env = { PATH: process.env["PATH"], ...environment }
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd, env, encoding: "utf8" })
  return { status, said: stdout + stderr }
}

const compiler = fileURLToPath(new URL("node_modules/typescript/bin/tsc", new URL("../../../", import.meta.url)))

describe("a client generated from the OpenAPI document", () => {
  it.live("compiles in strict mode, rejects mistakes, and runs the tour (OAU-01, WRK-05, OWN-04, OWN-07)", () =>
    Effect.scoped(
      Effect.gen(function* () {
        assert.include(tour, "ALREADY_LINKED")
        const directory = yield* temporaryDirectory
        const clientFile = join(directory, "client.json")
        const server = yield* serving({ WCS_DATA: join(directory, "data"), WCS_CLIENT_FILE: clientFile })
        const document = yield* ask(server, "/openapi.json")
        const contract = astToString(yield* Effect.promise(() => openapiTS(document.text)))
        const sources = { "contract.ts": contract, "tour.ts": tour, "mistakes.ts": mistakes }
        const place = yield* folder
        for (const [name, text] of Object.entries({ ...sources, "tsconfig.json": configuration })) {
          writeFileSync(join(place, name), text)
        }
        assert.deepStrictEqual(node([compiler, "-p", "."], place), { status: 0, said: "" })
        const { clientId, clientSecret } = JSON.parse(readFileSync(clientFile, "utf8"))
        const environment = {
          BASE_URL: `https://localhost:${server.port}`,
          CLIENT_ID: clientId,
          CLIENT_SECRET: clientSecret,
          NODE_EXTRA_CA_CERTS: server.certificateFile
        }
        assert.deepStrictEqual(node(["tour.ts"], place, environment), { status: 0, said: "" })
      })
    )
  )
})
