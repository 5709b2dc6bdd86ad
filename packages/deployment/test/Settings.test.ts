import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { documentation, make } from "@wcs/deployment/Settings"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import { temporaryDirectory } from "./Temporary.ts"

const read = (environment: Readonly<Record<string, string>>) =>
  Effect.provide(make, ConfigProvider.layer(ConfigProvider.fromUnknown(environment)))

/** Returns the message for invalid settings. */
const refusal = (environment: Readonly<Record<string, string>>) =>
  Effect.map(Effect.flip(read(environment)), ({ message }) => message)

/** Bad values of each variable. */
const bad: Readonly<Record<string, ReadonlyArray<string>>> = {
  WCS_MAX_CONNECTIONS: ["0"],
  WCS_MAX_CONNECTIONS_PER_ADDRESS: ["0"],
  WCS_RATE_STANDARD: ["0"],
  WCS_RATE_TENANT_MULTIPLE: ["0"],
  WCS_CLIENTS_MAX: ["0"],
  WCS_REGISTER_TRIES: ["0"],
  WCS_REGISTER_CONCURRENCY: ["0"],
  DATABASE_URL: ["wcs", "mysql://db/wcs", "postgres:///wcs", "postgres://db:5432/"],
  WCS_DATABASE_CONNECTIONS: ["0", "501"],
  WCS_CELLS: ["second", "main=postgres://db/two", "Second=postgres://db/two", "second=mysql://db/two"],
  WCS_HOST: ["not a host", "0.0.0.0:9000", "[::1]:9000", "[::g]", "localhost:"],
  WCS_ADMIN_HOST: ["127.0.0.1:8444", "a b"],
  WCS_ADMIN_NAMES: ["metrics.example:8444"],
  WCS_TENANT_HOSTS: [
    "acme.example:8443",
    "https://example.com",
    Array.from({ length: 18 }, (_, index) => `h${index}.example`).join(",")
  ],
  WCS_TENANT_TIME_ZONE: ["Australia/Sidney"],
  WCS_PORT: ["65536", "-1", "8443x", "0x1F"],
  WCS_PLAIN_PORT: ["http"],
  WCS_TLS: ["yes"],
  WCS_TRUSTED_PROXIES: ["10.0.0.0/33", "10.0.0.1, proxy", "10"],
  WCS_ADMIN_PORT: ["1e3"],
  WCS_TOKEN_LIFETIME_SECONDS: ["0", "86401"],
  WCS_RATE_INTENSIVE: ["many"],
  WCS_TOKENS_MAX: ["10001"],
  WCS_USERS_MAX: ["1000001"],
  WCS_RATE_UNAUTHENTICATED: ["1.5"],
  WCS_RATE_TOKEN_FAILURES: ["-3"],
  WCS_RATE_TOKENS_ISSUED: ["99999999999"],
  WCS_WEBHOOK_HTTP: ["true"],
  WCS_WEBHOOK_CHANGEOVER_SECONDS: ["86399", "604801"],
  WCS_WEBHOOKS_MAX: ["0", "1001"],
  WCS_REGISTER: ["manual"],
  WCS_REGISTER_URL: ["http://gateway.example.org/", "https://user@gateway.example.org/"],
  WCS_REGISTER_USER: ["a:b"],
  WCS_REGISTER_SECRET_FILE: ["a\0b"],
  WCS_REGISTER_ACCOUNTS_OF: ["default", "tnt_1"],
  WCS_REGISTER_CALLS_PER_MINUTE: ["0", "601"],
  WCS_REGISTER_TIMEOUT: ["0s", "61s"],
  WCS_REGISTER_TOTAL_TIMEOUT: ["10"],
  WCS_WARNING_DAYS: ["0", "366", "60,soon", ","],
  WCS_WARNING_REPEAT_DAYS: ["0", "91"],
  WCS_WARNING_REPEATS: ["-1", "521"],
  WCS_REGISTER_INTERVAL_DAYS: ["-1", "32"],
  WCS_AUDIT_SEAL_SECONDS: ["0", "3601"],
  WCS_ADMIN_EMAIL: ["nobody"],
  WCS_LOG_FORMAT: ["xml"],
  WCS_LOG_LEVEL: ["loud"],
  WCS_OTLP_URL: ["collector:4318", "http://user:key@collector:4318", "http://collector:4318/?key=1"],
  WCS_OTLP_HEADERS_FILE: ["a\0b"],
  WCS_OTLP_SIGNALS: ["traces,logs"],
  WCS_TRACE_RATIO: ["1.1", "1e-3"],
  WCS_DATA: ["a\0b"]
}

const gateway = { WCS_REGISTER: "http", WCS_REGISTER_URL: "https://gateway.example.org/ask" }

const contradictory: ReadonlyArray<readonly [names: string, environment: Readonly<Record<string, string>>]> = [
  ["WCS_TLS_KEY_FILE", { WCS_TLS: "files", WCS_TLS_CERT_FILE: "cert.pem" }],
  ["WCS_TLS_CERT_FILE", { WCS_TLS: "files", WCS_TLS_KEY_FILE: "key.pem" }],
  ["WCS_TLS must be files", { WCS_TLS_CERT_FILE: "cert.pem", WCS_TLS_KEY_FILE: "key.pem" }],
  ["WCS_TRUSTED_PROXIES", { WCS_TLS: "proxy" }],
  ["WCS_PLAIN_PORT", { WCS_TLS: "proxy", WCS_TRUSTED_PROXIES: "10.0.0.1", WCS_PLAIN_PORT: "80" }],
  ["WCS_ADMIN_TOKEN_FILE", { WCS_ADMIN_EMAIL: "a@example.com" }],
  ["WCS_ADMIN_EMAIL", { WCS_ADMIN_TOKEN_FILE: "token" }],
  ["WCS_REGISTER_URL", { WCS_REGISTER: "http" }],
  ["WCS_REGISTER must be http", { WCS_REGISTER_URL: gateway.WCS_REGISTER_URL }],
  ["WCS_REGISTER must be http", { WCS_REGISTER_SECRET_FILE: "secret" }],
  ["WCS_REGISTER_SECRET_FILE", { ...gateway, WCS_REGISTER_USER: "wcs" }],
  ["WCS_REGISTER_TIMEOUT", { ...gateway, WCS_REGISTER_TIMEOUT: "11s" }],
  ["WCS_OTLP_URL", { WCS_OTLP_HEADERS_FILE: "headers" }],
  ["WCS_CELLS needs DATABASE_URL", { WCS_CELLS: "second=postgres://db/two" }],
  [
    "WCS_CELLS must not have a name twice",
    { DATABASE_URL: "postgres://db/one", WCS_CELLS: "second=postgres://db/two second=postgres://db/three" }
  ],
  [
    "WCS_CELLS must not name a database twice",
    { DATABASE_URL: "postgres://db/one", WCS_CELLS: "second=postgres://db/one" }
  ]
]

/** One line that starts with the variable and ends with a full stop. */
const sentence = /^(?:WCS_\w+|DATABASE_URL) [^\n]*[^.\n]\.$/

describe("Settings", () => {
  it.effect("have defaults", () =>
    Effect.gen(function* () {
      const settings = yield* read({})
      assert.strictEqual(settings.dataDirectory, "./data")
      assert.strictEqual(settings.port, 8443)
      assert.strictEqual(settings.adminHost, "127.0.0.1")
      assert.deepStrictEqual(settings.tls, { _tag: "SelfSigned" })
      assert.deepStrictEqual(settings.plainPort, Option.none())
      assert.strictEqual(settings.rateLimits.standard, 600)
      assert.strictEqual(settings.tokenLifetimeSeconds, 3600)
    })
  )

  it.effect("treat an empty variable as absent and trim white space", () =>
    Effect.gen(function* () {
      const settings = yield* read({ WCS_PORT: "", WCS_HOST: " ", WCS_ADMIN_PORT: " 9000 " })
      assert.strictEqual(settings.port, 8443)
      assert.deepStrictEqual(settings.host, Option.none())
      assert.strictEqual(settings.adminPort, 9000)
    })
  )

  it.effect("read lists, ranges and hosts in normalized form", () =>
    Effect.gen(function* () {
      const settings = yield* read({
        WCS_TENANT_HOSTS: " Acme.Example , b.example,",
        WCS_TRUSTED_PROXIES: "10.0.0.0/8, fd00::1"
      })
      assert.deepStrictEqual(settings.tenantHosts, ["acme.example", "b.example"])
      assert.deepStrictEqual(
        settings.trustedProxies.map(([network, bits]) => `${network}/${bits}`),
        ["10.0.0.0/8", "fd00::1/128"]
      )
    })
  )

  it.effect("use the gateway with its limits, or the reference register by default", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* read({})).register, { _tag: "Reference" })
      assert.deepStrictEqual<unknown>((yield* read({ ...gateway, WCS_REGISTER_TIMEOUT: "500ms" })).register, {
        _tag: "Gateway",
        url: gateway.WCS_REGISTER_URL,
        user: Option.none(),
        secretFile: Option.none(),
        accountsOf: Option.none(),
        callsPerMinute: Option.none(),
        timeoutMillis: 500,
        totalMillis: 10_000,
        tries: 3,
        concurrency: 64
      })
      assert.notInclude(yield* refusal({ WCS_REGISTER_URL: "https://wcs:secret@gateway.example.org/" }), "secret")
    })
  )

  it.effect("never show the value of DATABASE_URL, valid or not", () =>
    Effect.gen(function* () {
      assert.notInclude(yield* refusal({ DATABASE_URL: "postgres://wcs:secret@/wcs" }), "secret")
      const { database } = yield* read({ DATABASE_URL: "postgres://wcs:secret@db/wcs" })
      assert.notInclude(JSON.stringify(database), "secret")
      assert.strictEqual(Redacted.value(Option.getOrThrow(database).url), "postgres://wcs:secret@db/wcs")
    })
  )

  for (const [text, host] of [
    ["0.0.0.0", "0.0.0.0"],
    ["::", "::"],
    ["[::1]", "::1"],
    ["LocalHost.", "localhost"]
  ] as const) {
    it.effect(`listen on ${text} as ${host}`, () =>
      Effect.gen(function* () {
        const settings = yield* read({ WCS_HOST: text, WCS_ADMIN_HOST: text })
        assert.deepStrictEqual([settings.host, settings.adminHost], [Option.some(host), host])
      })
    )
  }

  for (const [name, value] of Object.entries(bad).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const)
  )) {
    it.effect(`refuse ${name}=${value.slice(0, 30)} in one sentence with the name and the accepted form`, () =>
      Effect.gen(function* () {
        const message = yield* refusal({ [name]: value })
        const must = documentation.find((row) => row.name === name)?.must
        assert.match(message, sentence)
        assert.isTrue(message.startsWith(`${name} must be ${must}, but is `), message)
      })
    )
  }

  for (const [names, environment] of contradictory) {
    it.effect(`refuse a contradiction: ${Object.keys(environment).join(", ")}`, () =>
      Effect.gen(function* () {
        const message = yield* refusal(environment)
        assert.match(message, sentence)
        assert.include(message, names)
      })
    )
  }

  it("are equal to the table of README.md", () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
    const rows = readme
      .split("\n")
      .filter((line) => /^\| `(WCS_|DATABASE_URL)/.test(line))
      .map((line) => line.split("|").slice(1, -1))
      .map((cells) => cells.map((cell) => cell.trim()))
    const expected = documentation.map(({ meaning, must, name, standard }) => [
      `\`${name}\``,
      standard === "" ? "" : `\`${standard}\``,
      must,
      meaning
    ])
    assert.deepStrictEqual(rows, expected)
  })
})

const url = "postgres://wcs:secret@db/wcs"

/** A file in an empty directory. */
const written = Effect.fnUntraced(function* (text: string, mode = 0o600) {
  const file = join(yield* temporaryDirectory, "file")
  writeFileSync(file, text, { mode })
  return file
})

describe("the sources of settings", () => {
  it.effect("are a settings file, which the environment overrides", () =>
    Effect.gen(function* () {
      const file = yield* written('\uFEFFWCS_PORT=9443\r\n# ports\r\nWCS_ADMIN_PORT="9444"\r\nWCS_TLS=\r\n')
      const settings = yield* read({ WCS_SETTINGS_FILE: file, WCS_PORT: "10443", WCS_ADMIN_PORT: "" })
      assert.deepStrictEqual([settings.port, settings.adminPort, settings.tls._tag], [10443, 9444, "SelfSigned"])
    })
  )

  it.effect("are the file of a secret, also named by the settings file", () =>
    Effect.gen(function* () {
      const secret = yield* written(`\uFEFF${url}\r\n`)
      const given = yield* read({ DATABASE_URL_FILE: secret })
      assert.strictEqual(Redacted.value(Option.getOrThrow(given.database).url), url)
      const file = yield* written(`DATABASE_URL_FILE=${secret}`)
      assert.isTrue(Option.isSome((yield* read({ WCS_SETTINGS_FILE: file })).database))
    })
  )

  it("are a file for every secret", () => {
    const names = documentation.map(({ name }) => name)
    const secrets = documentation.filter(({ isSecret }) => isSecret === true)
    assert.isNotEmpty(secrets)
    for (const { name } of secrets) assert.include(names, `${name}_FILE`)
  })

  it.effect("refuse an unknown name, a missing file and a second value of a secret", () =>
    Effect.gen(function* () {
      const file = yield* written("WCS_PROT=9443\n")
      assert.strictEqual(
        yield* refusal({ WCS_SETTINGS_FILE: file }),
        `The settings file ${file} has an unknown setting WCS_PROT.`
      )
      assert.strictEqual(
        yield* refusal({ DATABASE_URL_FILE: `${file}.missing` }),
        `The file of DATABASE_URL_FILE ${file}.missing does not exist.`
      )
      assert.strictEqual(
        yield* refusal({ DATABASE_URL: url, DATABASE_URL_FILE: yield* written(url) }),
        "DATABASE_URL and DATABASE_URL_FILE must not be set together."
      )
    })
  )

  it.effect("threat 9: refuse a file that other users can read, and never show its content", () =>
    Effect.gen(function* () {
      const open = yield* written(url, 0o644)
      for (const name of ["DATABASE_URL_FILE", "WCS_SETTINGS_FILE"]) {
        const message = yield* refusal({ [name]: open })
        assert.include(message, `The file of ${name} ${open} can be read by other users`)
      }
      const wrong = yield* refusal({ DATABASE_URL_FILE: yield* written("postgres://wcs:secret@/wcs") })
      assert.notInclude(wrong, "secret@")
      assert.include(wrong, "DATABASE_URL must be a URL")
    })
  )
})
