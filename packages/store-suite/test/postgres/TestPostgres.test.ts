import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Source, sourceOf, startTestPostgres } from "@wcs/store-suite/postgres/TestPostgres"
import { afterAll, assert, describe, it } from "vitest"

const folder = mkdtempSync(join(tmpdir(), "wcs-engine-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const patient = { answerMillis: 30_000, pullMillis: 30_000 }
const impatient = { answerMillis: 30_000, pullMillis: 100 }

/** An engine's responses by method and path. Other requests get no response. */
type Answers = Readonly<Record<string, readonly [status: number, body: unknown]>>

const answering =
  (answers: Answers): RequestListener =>
  ({ method, url = "" }, response) => {
    const answer = answers[`${method} ${url.replace(/\?.*$/, "")}`]
    if (answer === undefined) return
    response.writeHead(answer[0], { "Content-Type": "application/json" }).end(`${JSON.stringify(answer[1])}\n`)
  }

/** The source of Postgres on a machine with this engine. */
const sourceBeside = async (
  answers: Answers,
  environment: Readonly<Record<string, string>> = {},
  deadlines = patient
) => {
  const socket = join(folder, `${Math.random()}.sock`)
  const server = createServer(answering(answers))
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  try {
    return await sourceOf({ DOCKER_HOST: `unix://${socket}`, ...environment }, deadlines)
  } finally {
    server.close().closeAllConnections()
  }
}

const docker = { "GET /version": [200, { Version: "27.1" }] } as const
const withoutImage = { "GET /images/postgres:18.4/json": [404, { message: "no such image" }] } as const

describe("the source of the Postgres of the tests", () => {
  it("is the database of DATABASE_URL, even if an engine answers", async () => {
    const source = await sourceBeside(docker, { DATABASE_URL: "postgres://localhost/x" })
    assert.strictEqual(source.type, "given")
    assert.notInclude(source.told, "localhost")
  })

  it("is a container if an engine has the image", async () => {
    const source = await sourceBeside({ ...docker, "GET /images/postgres:18.4/json": [200, { Id: "1" }] })
    assert.strictEqual(source.type, "container")
    assert.strictEqual(source.told, "Postgres for the tests: postgres:18.4 in a container of Docker 27.1")
  })

  const cannot: ReadonlyArray<readonly [why: string, answers: Answers, reason: RegExp]> = [
    ["the registry is not reached", { "POST /images/create": [500, { message: "no such host" }] }, /no such host\)$/],
    ["a pull breaks off", { "POST /images/create": [200, { error: "connection reset" }] }, /connection reset\)$/],
    ["a pull leaves nothing", { "POST /images/create": [200, { status: "done" }] }, /the pull left no image\)$/]
  ]
  it.each(cannot)("is the embedded one if %s, and the run says so", async (_, answers, reason) => {
    const source = await sourceBeside({ ...docker, ...withoutImage, ...answers })
    assert.strictEqual(source.type, "embedded")
    assert.match(source.told, /\(Docker 27\.1 cannot provide the image postgres:18\.4: /)
    assert.match(source.told, reason)
  })

  it("is the embedded one if the container cannot be started, unless a container is required; the run says so", async () => {
    const source = await sourceBeside({ ...docker, "GET /images/postgres:18.4/json": [200, { Id: "1" }] })
    const lines: Array<string> = []
    const starts = {
      container: () => Promise.reject(new Error("no user namespaces\nand more")),
      embedded: () => Promise.resolve({ url: "postgres://embedded", stop: () => Promise.resolve() })
    }
    const start = (from: Source) => startTestPostgres(from, (line) => lines.push(line), starts)
    assert.strictEqual((await start(source)).url, "postgres://embedded")
    assert.deepStrictEqual(lines, [
      "Postgres for the tests: the embedded one (Docker 27.1 cannot start postgres:18.4: no user namespaces)"
    ])
    if (source.type !== "container") return assert.fail("not a container")
    assert.match(String(await start({ ...source, isRequired: true }).catch(String)), /no user namespaces/)
  })

  it("fails if WCS_TEST_POSTGRES requires a container that is not available, or has an unknown value", async () => {
    const refusal = async (environment: Readonly<Record<string, string>>): Promise<string> =>
      sourceBeside({ ...docker, ...withoutImage }, environment, impatient).then(
        ({ told }) => told,
        (error: unknown) => String(error)
      )
    assert.match(await refusal({ WCS_TEST_POSTGRES: "container" }), /but Docker 27\.1 cannot provide the image/)
    assert.match(await refusal({ WCS_TEST_POSTGRES: "dokcer" }), /must be one of auto, container, embedded/)
  })
})
