import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { generate } from "@wcs/node-server/SelfSigned"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { cli, migrated, withStore } from "../InProcess.ts"
import { httpServer, sharing } from "../Machines.ts"
import { askPlainly, type Environment, serving, temporaryDirectory, wcs, working } from "../Process.ts"

/** Ports of a machine where other servers run. */
const anyPorts = { WCS_PORT: "0", WCS_ADMIN_PORT: "0" }

const owner = `owner ${process.getuid?.()}, group ${process.getgid?.()}`

interface Finding {
  readonly check: string
  readonly result: string
  readonly message: string
}

/** Runs the command. Returns its exit code and findings. */
const examined = Effect.fnUntraced(function* (home: string, settings: Environment = {}) {
  const { code, stderr, stdout } = yield* cli(home, ["doctor", "--json"], { ...anyPorts, ...settings })
  const findings: ReadonlyArray<Finding> = JSON.parse(stdout).findings
  const failed = findings.filter(({ result }) => result === "failed")
  assert.strictEqual(code, failed.length === 0 ? 0 : 1, stderr)
  const of = (check: string) => findings.filter((finding) => finding.check === check)
  return { failed: failed.map(({ check, message }) => `${check}: ${message}`), of, findings }
})

/** A directory with a store. */
const stored = Effect.gen(function* () {
  const home = yield* withStore
  const made = yield* cli(home, ["admin", "create-user", "--email", "ann@example.com", "--role", "Viewer"])
  assert.strictEqual(made.code, 0, made.stderr)
  return home
})

/** Changes the store by hand. */
const edited = Effect.fnUntraced(function* (sql: string) {
  const home = yield* stored
  using database = new DatabaseSync(join(home, "data/wcs.sqlite"))
  database.exec(sql)
  return home
})

const certificate = Effect.fnUntraced(function* (from: number, to: number) {
  const home = yield* temporaryDirectory
  const [one, other] = yield* Effect.promise(() =>
    Promise.all([generate(["wcs.example"], from, to), generate(["wcs.example"], from, to)])
  )
  const [certFile, keyFile, otherKey] = ["cert.pem", "key.pem", "other.pem"].map((name) => join(home, name))
  writeFileSync(certFile ?? "", one.cert)
  writeFileSync(keyFile ?? "", one.key, { mode: 0o600 })
  writeFileSync(otherKey ?? "", other.key, { mode: 0o600 })
  const settings = (key = keyFile) =>
    ({ WCS_TLS: "files", WCS_TLS_CERT_FILE: certFile, WCS_TLS_KEY_FILE: key }) as Environment
  return { home, settings, otherKey }
})

const day = 24 * 3600 * 1000

describe("wcs doctor", () => {
  it.effect("finds nothing wrong with a new store or before the first start, and changes nothing", () =>
    Effect.gen(function* () {
      const home = yield* stored
      const before = readdirSync(join(home, "data"))
      const { failed, of } = yield* examined(home)
      assert.deepStrictEqual(failed, [])
      assert.deepStrictEqual(
        ["settings", "data directory", "clock", "database", "master key", "ports"].map((check) => of(check)[0]?.result),
        ["ok", "ok", "ok", "ok", "ok", "ok"]
      )
      assert.deepStrictEqual(
        readdirSync(join(home, "data")).filter((name) => !/-(?:wal|shm)$/.test(name)),
        before
      )
      const empty = yield* temporaryDirectory
      assert.deepStrictEqual((yield* examined(empty)).failed, [])
      assert.isFalse(existsSync(join(empty, "data")))
    })
  )

  it.effect("reports every mistake at once: settings, permissions and keys", () =>
    Effect.gen(function* () {
      const home = yield* stored
      writeFileSync(join(home, "data/master.key"), "0".repeat(64))
      chmodSync(join(home, "data"), 0o755)
      const wrong = { WCS_RATE_STANDARD: "0", WCS_PORT: "x", WCS_TLS: "files", WCS_ADMIN_EMAIL: "ann@example.com" }
      const { failed } = yield* examined(home, wrong)
      assert.deepStrictEqual(failed, [
        'settings: WCS_PORT must be a port number from 0 to 65535, but is "x".',
        'settings: WCS_RATE_STANDARD must be a whole number from 1 to 1000000000, but is "0".',
        "settings: WCS_TLS_CERT_FILE and WCS_TLS_KEY_FILE must both be set when WCS_TLS is files.",
        "settings: WCS_ADMIN_EMAIL and WCS_ADMIN_TOKEN_FILE must be set together.",
        `data directory: ${join(home, "data")} is accessible to other users of this machine ` +
          `(mode 0755, ${owner}); run chmod 700 ${join(home, "data")} first.`,
        "master key: The master key is of another store: restore the right one."
      ])
    })
  )

  it.effect("reports every contradiction of settings, and checks everything that does not depend on them", () =>
    Effect.gen(function* () {
      const home = yield* stored
      writeFileSync(join(home, "data/master.key"), "0".repeat(64))
      const proxy = { WCS_TLS: "proxy", WCS_PLAIN_PORT: "0" }
      const register = { WCS_REGISTER: "http", WCS_REGISTER_USER: "wcs" }
      assert.deepStrictEqual((yield* examined(home, { ...proxy, ...register })).failed, [
        "settings: WCS_TRUSTED_PROXIES must be set when WCS_TLS is proxy.",
        "settings: WCS_PLAIN_PORT must not be set when WCS_TLS is proxy: WCS_PORT is already plain HTTP.",
        "settings: WCS_REGISTER_URL must be set when WCS_REGISTER is http.",
        "settings: WCS_REGISTER_SECRET_FILE must be set when WCS_REGISTER_USER is set.",
        "master key: The master key is of another store: restore the right one."
      ])
      const apart = yield* examined(home, { WCS_WORKER: "apart" })
      assert.deepStrictEqual(apart.failed, ["settings: WCS_WORKER can be apart only when DATABASE_URL is set."])
      assert.isNotEmpty(apart.of("disk"))
    })
  )

  it.effect("reports an invalid setting once, and no contradiction that is due to it", () =>
    Effect.gen(function* () {
      const home = yield* stored
      const missing = join(home, "missing")
      const wrong = { WCS_WORKER: "apart", DATABASE_URL_FILE: missing, WCS_TLS: "file", WCS_TLS_CERT_FILE: missing }
      const { failed, of } = yield* examined(home, wrong)
      assert.deepStrictEqual(failed, [
        `settings: The file of DATABASE_URL_FILE ${missing} does not exist.`,
        'settings: WCS_TLS must be self-signed, files or proxy, but is "file".'
      ])
      // the embedded store is not the store of these settings
      assert.isEmpty(of("database"))
      const noFile = yield* examined(home, { WCS_SETTINGS_FILE: missing })
      assert.deepStrictEqual(noFile.failed, [`settings: The file of WCS_SETTINGS_FILE ${missing} does not exist.`])
      assert.isEmpty(noFile.of("database"))
      assert.isNotEmpty(noFile.of("data directory")) // the environment sets it
    })
  )

  it.effect("reports files of secrets that a start refuses, and files that the first run cannot create", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const [secret, headers, client] = [
        join(home, "secret"),
        join(home, "headers"),
        join(home, "client.json")
      ] as const
      writeFileSync(secret, "undisclosed", { mode: 0o644 })
      writeFileSync(headers, "no header", { mode: 0o600 })
      writeFileSync(client, "{}")
      const settings = {
        ...{ WCS_REGISTER: "http", WCS_REGISTER_URL: "https://gateway.example.org/", WCS_REGISTER_SECRET_FILE: secret },
        ...{ WCS_OTLP_URL: "http://127.0.0.1:4318", WCS_OTLP_HEADERS_FILE: headers },
        ...{ WCS_ADMIN_EMAIL: "ann@example.com", WCS_ADMIN_TOKEN_FILE: join(home, "missing/token") },
        WCS_CLIENT_FILE: client
      }
      const { failed } = yield* examined(home, settings)
      assert.deepStrictEqual(failed, [
        `files: The register secret ${secret} can be read by other users of this machine ` +
          `(mode 0644, ${owner}); run chmod 600 ${secret} first.`,
        "files: WCS_OTLP_HEADERS_FILE must be the path of a file with one `name: value` per line.",
        `files: The first run cannot create ${join(home, "missing/token")} (no such file or directory): ` +
          "set WCS_ADMIN_TOKEN_FILE to a file in another directory.",
        `files: ${client} exists already: move it away, or set WCS_CLIENT_FILE to another file.`
      ])
      chmodSync(secret, 0o600)
      writeFileSync(headers, "api-key: abc")
      const inData = { WCS_ADMIN_TOKEN_FILE: join(home, "data/token"), WCS_CLIENT_FILE: join(home, "first.json") }
      const good = yield* examined(home, { ...settings, ...inData })
      assert.deepStrictEqual(good.failed, [])
      assert.lengthOf(good.of("files"), 4)
      assert.notInclude(JSON.stringify(good.findings), "undisclosed")
    })
  )

  it.effect("reports a lost store, a lost key and a missing file of the settings", () =>
    Effect.gen(function* () {
      const home = yield* stored
      const lost = yield* examined(home, { WCS_MASTER_KEY_FILE: join(home, "missing") })
      assert.include(lost.failed[0], `${join(home, "missing")} does not exist`)
      const other = yield* temporaryDirectory
      const key = join(other, "key")
      writeFileSync(key, "0".repeat(64), { mode: 0o600 })
      const noStore = yield* examined(other, { WCS_MASTER_KEY_FILE: key })
      assert.include(noStore.failed[0], "There is a master key but no store")
    })
  )

  it.effect("warns while the file has two master keys", () =>
    Effect.gen(function* () {
      const home = yield* stored
      const file = join(home, "data/master.key")
      const key = readFileSync(file, "utf8").trim()
      writeFileSync(file, `${"0".repeat(64)}\n${key}\n`)
      const { failed, of } = yield* examined(home)
      assert.deepStrictEqual(failed, [])
      assert.strictEqual(of("master key")[0]?.result, "warning")
      writeFileSync(file, `${"0".repeat(64)}\n${"1".repeat(64)}\n`)
      assert.deepStrictEqual((yield* examined(home)).failed, [
        "master key: The master key is of another store: restore the right one."
      ])
    })
  )

  it.effect("reports a store of a newer program, and entries in the future", () =>
    Effect.gen(function* () {
      const newer = yield* edited(
        "INSERT INTO migration (id, name, applied_at) SELECT max(id) + 1, 'later', 0 FROM migration"
      )
      assert.include((yield* examined(newer)).failed[0], "database: A newer program wrote the store")
      const future = yield* edited("UPDATE audit_event SET at = 90000000")
      assert.include((yield* examined(future)).failed[0], "clock: The newest audit entry is 90000 s in the future")
      yield* TestClock.setTime(90_000_000)
      assert.deepStrictEqual((yield* examined(future)).failed, [])
    })
  )

  it.effect("reports a certificate that has expired, expires soon, lacks a host or has another key", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1000 * day)
      const { home, otherKey, settings } = yield* certificate(1000 * day, 1100 * day)
      const good = yield* examined(home, settings())
      assert.deepStrictEqual(
        good.of("certificate").map(({ message }) => message),
        ["The certificate expires in 100 days."]
      )
      const hosts = yield* examined(home, { ...settings(), WCS_TENANT_HOSTS: "wcs.example,other.example" })
      assert.deepStrictEqual(
        hosts.of("certificate").map(({ message }) => message),
        ["The certificate expires in 100 days.", "The certificate lacks other.example: order one with all hosts."]
      )
      yield* migrated({ WCS_DATA: join(home, "data") })
      const added = yield* cli(home, ["admin", "add-host", "later.example"])
      assert.strictEqual(added.code, 0, added.stderr)
      assert.deepStrictEqual(
        (yield* examined(home, settings())).of("certificate").map(({ message }) => message),
        ["The certificate expires in 100 days.", "The certificate lacks later.example: order one with all hosts."]
      )
      assert.include(
        (yield* examined(home, settings(otherKey))).failed[0],
        "must be the private key of the certificate"
      )
      yield* TestClock.setTime(1090 * day)
      assert.strictEqual((yield* examined(home, settings())).of("certificate")[0]?.result, "warning")
      yield* TestClock.setTime(1101 * day)
      assert.include((yield* examined(home, settings())).failed[0], "The certificate expired on")
    })
  )

  it.effect("reports a port that another process uses", () =>
    Effect.gen(function* () {
      const { port } = new URL(yield* httpServer(() => {}))
      const { failed } = yield* examined(yield* temporaryDirectory, { WCS_ADMIN_PORT: port })
      assert.deepStrictEqual(failed, [
        `ports: Port ${port} cannot be used (address already in use): set WCS_ADMIN_PORT to another port, or free this one.`
      ])
    })
  )

  it.live("tells the ports of the running server or worker of these settings from those of others", () =>
    Effect.gen(function* () {
      const shared = yield* sharing(Redacted.value(yield* freshDatabase))
      const [a, b, c] = [yield* temporaryDirectory, yield* temporaryDirectory, yield* temporaryDirectory]
      const server = yield* serving({ ...shared, WCS_DATA: join(a, "data") })
      const worker = yield* working({ ...shared, WCS_DATA: join(b, "data") })
      const [port, admin, ofWorker] = [server.port, server.adminPort, worker.adminPort].map(String) as [
        string,
        string,
        string
      ]
      const portsOf = (home: string, settings: Environment) =>
        Effect.map(examined(home, settings), ({ of }) =>
          of("ports").map(({ message, result }) => `${result}: ${message}`)
        )
      assert.deepStrictEqual(yield* portsOf(a, { ...shared, WCS_PORT: port, WCS_ADMIN_PORT: admin }), [
        `ok: The server of this data directory is running. It uses ${port}, ${admin}.`
      ])
      assert.deepStrictEqual(yield* portsOf(a, { ...shared, WCS_PORT: port, WCS_ADMIN_PORT: "0" }), [
        `ok: The server of this data directory is running. It uses ${port}.`
      ])
      assert.deepStrictEqual(yield* portsOf(b, { ...shared, WCS_PORT: port, WCS_ADMIN_PORT: ofWorker }), [
        "ok: The worker of these settings is running. A server beside it needs another WCS_ADMIN_PORT.",
        `warning: A server could not use port ${port}: set WCS_PORT to another port, or free this one.`
      ])
      const advice = (name: string) => `set ${name} to another port, or free this one.`
      const another = "a server of this deployment with another WCS_DATA uses it"
      assert.deepStrictEqual(yield* portsOf(c, { ...shared, WCS_PORT: port, WCS_ADMIN_PORT: admin }), [
        `failed: Port ${port} cannot be used (${another}): ${advice("WCS_PORT")}`,
        `failed: Port ${admin} cannot be used (${another}): ${advice("WCS_ADMIN_PORT")}`
      ])
      const key = join(c, "key")
      writeFileSync(key, "0".repeat(64), { mode: 0o600 })
      assert.deepStrictEqual(yield* portsOf(c, { WCS_MASTER_KEY_FILE: key, WCS_ADMIN_PORT: ofWorker }), [
        `failed: Port ${ofWorker} cannot be used (a worker of another deployment uses it): ${advice("WCS_ADMIN_PORT")}`
      ])
      assert.deepStrictEqual(yield* portsOf(c, { WCS_ADMIN_PORT: ofWorker }), [
        `failed: Port ${ofWorker} cannot be used (a worker of a deployment uses it): ${advice("WCS_ADMIN_PORT")}`
      ])
      const { status } = yield* askPlainly(server.adminPort, "/process", { headers: { host: "attacker.example" } })
      assert.strictEqual(status, 421)
    })
  )

  it.live("reports a server that lacks the master key of its database", () =>
    Effect.gen(function* () {
      const DATABASE_URL = Redacted.value(yield* freshDatabase)
      const [first, second] = [yield* temporaryDirectory, yield* temporaryDirectory]
      yield* migrated({ DATABASE_URL, WCS_DATA: join(first, "data") })
      const made = yield* cli(first, ["admin", "create-client", "--name", "first"], { DATABASE_URL })
      assert.strictEqual(made.code, 0, made.stderr)
      const { failed, of } = yield* examined(second, { DATABASE_URL })
      assert.include(
        failed,
        "master key: The database has a store, but there is no master key here: set WCS_MASTER_KEY_FILE, " +
          "or copy master.key of another server."
      )
      assert.lengthOf(of("master key"), 1)
      assert.deepStrictEqual((yield* examined(first, { DATABASE_URL })).of("master key")[0]?.result, "ok")
    })
  )

  it.live("reports a Postgres that loses writes or has too few connections, and one that does not answer", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const DATABASE_URL = Redacted.value(yield* freshDatabase)
      const { failed, of } = yield* examined(home, { DATABASE_URL, WCS_DATABASE_CONNECTIONS: "500" })
      assert.isTrue(failed.some((text) => text.startsWith("database: max_connections is ")))
      assert.deepStrictEqual(
        of("clock").map(({ result }) => result),
        ["ok"]
      )
      assert.isTrue(of("database").some(({ message }) => message.includes("The database is empty")))
      const nowhere = "postgres://wcs:secret@127.0.0.1:1/wcs"
      const cells = yield* examined(home, { DATABASE_URL, WCS_CELLS: `second=${nowhere}` })
      assert.isTrue(cells.failed.some((text) => text.startsWith("database: second: ")))
      const gone = yield* examined(home, { DATABASE_URL: nowhere })
      assert.include(gone.failed[0], "database: DATABASE_URL must name a usable Postgres database")
      assert.notInclude(JSON.stringify(gone.findings), "secret")
    })
  )

  it.live("warns of a misspelt name of a setting", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const { code, stdout } = yield* wcs(["doctor"], { ...anyPorts, WCS_DATA: join(home, "data"), WCS_PROT: "1" })
      assert.strictEqual(code, 0)
      assert.include(stdout, "WCS_PROT is not a setting")
    })
  )
})
