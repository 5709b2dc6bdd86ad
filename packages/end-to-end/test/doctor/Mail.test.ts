import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SMTPServer } from "smtp-server"
import { cli } from "../InProcess.ts"
import { temporaryDirectory } from "../Process.ts"

/** A mail server that takes one login, and no message. Returns its port. */
const mailServer = Effect.map(
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
      const server = new SMTPServer({
        allowInsecureAuth: true,
        logger: false,
        onAuth: ({ password }, _session, callback) =>
          password === "right" ? callback(null, { user: "wcs" }) : callback(new Error("wrong")),
        onMailFrom: () => assert.fail("a message was sent")
      })
      server.on("error", () => {})
      const listening = server.listen(0, "127.0.0.1", () => {
        const address = listening.address()
        const port = typeof address === "object" ? (address?.port ?? 0) : 0
        resume(Effect.succeed({ port, close: () => server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  ),
  ({ port }) => port
)

describe("wcs doctor", () => {
  it.live("tries the mail server with its login, and sends no message", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const [home, port] = [yield* temporaryDirectory, yield* mailServer]
        const examined = (settings: Readonly<Record<string, string>>) =>
          Effect.map(
            cli(home, ["doctor", "--json"], { WCS_PORT: "0", WCS_ADMIN_PORT: "0", ...settings }),
            ({ stdout }) => {
              const findings: ReadonlyArray<{ check: string; result: string; message: string }> =
                JSON.parse(stdout).findings
              const found = findings.find(({ check }) => check === "mail") ?? assert.fail("not examined")
              return `${found.result}: ${found.message}`
            }
          )
        const from = { WCS_MESSAGES_FROM: "wcs@sender.example" }
        const smtp = (password: string) => ({
          ...{ ...from, WCS_MESSAGES: "smtp", WCS_SMTP_TLS: "none", WCS_SMTP_HOST: "127.0.0.1" },
          ...{ WCS_SMTP_PORT: String(port), WCS_SMTP_USER: "wcs", WCS_SMTP_PASSWORD: password }
        })
        assert.strictEqual(yield* examined({}), "ok: Messages are off.")
        assert.match(yield* examined({ ...from, WCS_MESSAGES: "folder", WCS_MESSAGES_FOLDER: home }), /^warning: /)
        assert.match(yield* examined(smtp("right")), /^ok: .* takes the login\.$/)
        const wrong = yield* examined(smtp("wrong-secret"))
        assert.match(wrong, /^failed: .*login/i)
        assert.notInclude(wrong, "wrong-secret")
        assert.match(yield* examined({ ...smtp("right"), WCS_SMTP_PORT: "1" }), /^failed: .*ECONNREFUSED/)
      })
    )
  )
})
