import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { documentation } from "@wcs/deployment/Settings"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect, Redacted } from "effect"
import { cli, withStore } from "./InProcess.ts"
import { onDatabase } from "./Machines.ts"
import { temporaryDirectory } from "./Process.ts"

type Row = readonly [args: ReadonlyArray<string>, exitCode: number, code: string]

/** Rows: a failing command line, its exit code, and its error code. */
const refusals: ReadonlyArray<Row> = [
  [["admin", "revoke-client", "wcs_oauth_none"], 1, "NOT_FOUND"],
  [["admin", "revoke-token", "pat_none"], 1, "NOT_FOUND"],
  [["admin", "list-clients", "--tenant", "none"], 1, "NOT_FOUND"],
  [["admin", "create-token", "--email", "none@example.com", "--name", "x"], 1, "NOT_FOUND"],
  [["admin", "create-user", "--email", "nobody", "--role", "Viewer"], 1, "INVALID_ARGUMENT"],
  [["admin", "create-client", "--name", ""], 1, "INVALID_ARGUMENT"],
  [["admin", "create-tenant", "--name", "b", "--host", "localhost"], 1, "DUPLICATE_ID"],
  [["admin", "create-tenant", "--name", "b"], 2, "USAGE"],
  [["admin", "add-host", "https://b.example"], 1, "INVALID_ARGUMENT"],
  [["admin", "add-host"], 2, "USAGE"],
  [["admin", "remove-host", "b.example"], 1, "INVALID_ARGUMENT"],
  [["admin", "create-user", "--email", "a@example.com"], 2, "USAGE"],
  [["admin", "create-user", "--email", "a@example.com", "--role", "King"], 2, "USAGE"],
  [["admin", "create-user", "--email", "a@example.com", "--role", "Viewer", "--privilege", "worker:READ"], 2, "USAGE"],
  [["admin", "create-user", "--email", "a@example.com", "--privilege", "ban:DELETE"], 2, "USAGE"],
  [["admin", "create-user", "--email", "a@example.com", "--role", "Viewer", "--rate-limit", "20"], 2, "USAGE"],
  [["admin", "create-user", "--email", "a@example.com", "--role", "Viewer", "--rate-limit", "0/2s"], 2, "USAGE"],
  [["admin", "create-user", "--email", "a@example.com", "--role", "Viewer", "--rate-limit", "1/2h"], 2, "USAGE"],
  [["admin", "create-token", "--email", "a@example.com", "--name", "x", "--expires-in", "soon"], 2, "USAGE"],
  [["admin", "create-token", "--email", "a@example.com", "--name", "x", "--expires-in", "0d"], 2, "USAGE"],
  [["admin", "create-token", "--email", "a@example.com", "--name", "x", "--expires-in", "999999d"], 2, "USAGE"],
  [["admin", "create-token", "--email", "a@example.com", "--name", "x", "--expires-in", "3661d"], 2, "USAGE"],
  [["admin", "create-token", "--email", "a@example.com", "--name", "x", "--expires-in", "9999999999d"], 2, "USAGE"],
  [["admin", "create-token", "--email", "none@example.com", "--name", "x", "--expires-in", "3660d"], 1, "NOT_FOUND"],
  [["admin", "create-client"], 2, "USAGE"],
  [["admin", "revoke-client"], 2, "USAGE"],
  [["admin", "drop-everything"], 2, "USAGE"],
  [["conformance-profile", "--url", "http://localhost:8443"], 2, "USAGE"],
  [["conformance-profile", "--url", "https://localhost:8443/openapi"], 2, "USAGE"],
  [["conformance-profile", "--url", "https://example.org"], 2, "USAGE"],
  [["conformance-profile", "--second-tenant-host", "other.localhost:8443"], 2, "USAGE"],
  [["conformance-profile", "--second-tenant-host", "127.0.0.1"], 2, "USAGE"],
  [["conformance-profile", "--out", "same", "--env", "same"], 2, "USAGE"],
  [["conformance-profile", "--out", "/nowhere/profile.json"], 2, "USAGE"],
  [["admin"], 2, "USAGE"],
  [[], 2, "USAGE"],
  [["serve", "--prot", "80"], 2, "USAGE"]
]

describe("the command line", () => {
  it.effect("wcs settings: lists every setting with its form, default and purpose, as text or JSON", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { code, stdout } = yield* cli(directory, ["settings", "--json"])
      assert.strictEqual(code, 0)
      const { settings }: { readonly settings: ReadonlyArray<Readonly<Record<string, string | null>>> } =
        JSON.parse(stdout)
      assert.deepStrictEqual(
        settings.map(({ name }) => name),
        documentation.map(({ name }) => name)
      )
      const text = (yield* cli(directory, ["settings"])).stdout
      for (const { mustBe, name, purpose } of settings) {
        assert.match(text, new RegExp(`^${name}( \\(default .+\\))?\n  must be `, "m"))
        assert.include(text, `\n  must be ${mustBe}\n  ${purpose}`)
        assert.notMatch(String(purpose), /`|\]\(/)
      }
      assert.include(text, "WCS_PORT (default 8443)\n")
      assert.deepStrictEqual(readdirSync(directory), [])
    })
  )

  for (const [args, exitCode, code] of refusals) {
    it.live(
      `wcs ${args.join(" ")}: exits with ${exitCode} ${code} and writes one sentence or JSON only to standard error`,
      () =>
        Effect.gen(function* () {
          const directory = yield* withStore
          const asText = yield* cli(directory, args)
          assert.deepStrictEqual([asText.code, asText.stdout], [exitCode, ""])
          // Without a command, the help lists all commands.
          assert.match(asText.stderr, args.length < 2 ? /SUBCOMMANDS/ : /^wcs: [^\n]+$/)
          const asJson = yield* cli(directory, [...args, "--json"])
          assert.deepStrictEqual([asJson.code, asJson.stdout], [exitCode, ""])
          const { error } = JSON.parse(asJson.stderr)
          assert.strictEqual(error.code, code)
          assert.isNotEmpty(error.message)
        })
    )
  }

  it.live("suggests the command that a mistyped one resembles", () =>
    Effect.gen(function* () {
      const { stderr } = yield* cli(yield* temporaryDirectory, ["serv"])
      assert.strictEqual(stderr, 'wcs: Unknown subcommand "serv" for "wcs". Did you mean serve? (see wcs --help)')
    })
  )

  it.live("logs only to standard error", () =>
    Effect.gen(function* () {
      const directory = yield* withStore
      yield* cli(directory, ["admin", "list-tenants"])
      const settings = { WCS_TENANT_HOSTS: "later.example" }
      const { stderr, stdout } = yield* cli(directory, ["admin", "list-tenants", "--json"], settings)
      assert.include(stderr, "later.example")
      assert.hasAllKeys(JSON.parse(stdout), ["tenants"])
    })
  )

  it.live("prints readable text without --json", () =>
    Effect.gen(function* () {
      const directory = yield* withStore
      const text = (...args: ReadonlyArray<string>) =>
        Effect.map(cli(directory, ["admin", ...args]), ({ stdout }) => stdout)
      const made = yield* text("create-client", "--name", "tour")
      assert.match(made, /^clientId {6}wcs_oauth_\w{16}\nclientSecret {2}wcs_secret_\w{41}\nname {10}tour$/)
      const listed = yield* text("list-clients")
      assert.match(
        listed,
        /^clientId {20}name {2}secretLastFour {2}createdAt +createdBy +expiresAt +revokedAt\nwcs_oauth_\w{16} {2}tour /
      )
      assert.strictEqual(yield* text("list-tokens"), "(none)")
      assert.match(
        yield* text("list-tenants"),
        /^tnt_\w{16} {2}default {2}Australia\/Sydney {2}localhost 127\.0\.0\.1 \[::1\]$/m
      )
    })
  )

  it.live("refuses to manage a deployment without a store, names the setting, and creates nothing", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const store = join(directory, "data/wcs.sqlite")
      const commands = [
        ["admin", "list-tenants"],
        ["admin", "create-client", "--name", "x"],
        ["audit", "verify"],
        ["conformance-profile", "--out", join(directory, "p.json"), "--env", join(directory, "p.env")]
      ]
      for (const command of commands) {
        const { code, stderr, stdout } = yield* cli(directory, command)
        assert.deepStrictEqual([code, stdout], [2, ""])
        assert.include(
          stderr,
          `wcs: There is no store at ${store}: set WCS_DATA or DATABASE_URL. ` +
            "wcs serve and wcs migrate create one. During a first start, wait until it prints its address; "
        )
      }
      const key = join(directory, "key")
      writeFileSync(key, "0".repeat(64), { mode: 0o600 })
      const keyed = yield* cli(directory, ["admin", "list-tenants"], { WCS_MASTER_KEY_FILE: key })
      assert.include(keyed.stderr, `There is no store at ${store}`)
      assert.deepStrictEqual(readdirSync(directory), ["key"])
    })
  )

  it.live("refuses to manage an empty database, or a database without its key, and creates nothing", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const DATABASE_URL = Redacted.value(yield* freshDatabase)
      const keyless = yield* cli(directory, ["admin", "list-tenants"], { DATABASE_URL })
      assert.include(
        keyless.stderr,
        `There is no master key in ${join(directory, "data")}: set WCS_DATA or WCS_MASTER_KEY_FILE`
      )
      const key = join(directory, "key")
      writeFileSync(key, "0".repeat(64), { mode: 0o600 })
      const empty = yield* cli(directory, ["admin", "list-tenants"], { DATABASE_URL, WCS_MASTER_KEY_FILE: key })
      assert.match(empty.stderr, /^wcs: There is no store in the database \S+ on \S+: check DATABASE_URL; /)
      assert.deepStrictEqual(readdirSync(directory), ["key"])
      yield* onDatabase(Redacted.make(DATABASE_URL), "CREATE TABLE of_another_program (id TEXT)")
      const foreign = yield* cli(directory, ["admin", "list-tenants"], { DATABASE_URL, WCS_MASTER_KEY_FILE: key })
      assert.strictEqual(foreign.stderr, empty.stderr)
    })
  )

  it.live("reports an invalid setting, prints help without a store, and creates nothing in both cases", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const refused = yield* cli(directory, ["admin", "list-tenants"], { WCS_PORT: "x" })
      assert.deepStrictEqual([refused.code, refused.stdout], [2, ""])
      assert.match(refused.stderr, /^wcs: WCS_PORT must be [^\n]+\.$/)
      const help = yield* cli(directory, ["admin", "--help"])
      assert.deepStrictEqual([help.code, help.stderr], [0, ""])
      for (const name of [
        "create-tenant",
        "add-host",
        "create-user",
        "create-token",
        "revoke-token",
        "create-client"
      ]) {
        assert.include(help.stdout, name)
      }
      assert.deepStrictEqual(readdirSync(directory), [])
    })
  )
})
