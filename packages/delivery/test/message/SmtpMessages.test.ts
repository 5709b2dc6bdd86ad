import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as FolderMessages from "@wcs/delivery/message/FolderMessages"
import * as SmtpMessages from "@wcs/delivery/message/SmtpMessages"
import { type Letter, Messages } from "@wcs/domain/message/Messages"
import { Effect, Redacted } from "effect"
import type { SMTPServerOptions } from "smtp-server"
import { type Behaviour, started } from "./MailServer.ts"
import { localhost } from "./TestCertificate.ts"

const letter: Letter = {
  messageId: "a".repeat(40),
  to: "ann@example.org",
  subject: "Grüße: 1 person",
  text: "Über Ann\n.\nEnd",
  html: "<p>Über Ann</p>",
  language: "de"
}

const from = "wcs@sender.example"

/** Sends the letter to a server with one behaviour. Returns the end, and what the server took. */
const sent = (
  behaviour: Behaviour,
  changed: Partial<SmtpMessages.MailServer> = {},
  options: SMTPServerOptions = {},
  more: Partial<Letter> = {}
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { port, taken } = yield* started(() => behaviour, options)
      const server = { from, host: "127.0.0.1", port, tls: "none", login: null, ...changed } as const
      const outcome = yield* Messages.use(({ send }) => send({ ...letter, ...more }, () => {})).pipe(
        Effect.provide(SmtpMessages.layer(server))
      )
      return { outcome, taken }
    })
  )

const endOf = (behaviour: Behaviour) =>
  Effect.map(sent(behaviour), ({ outcome, taken }) => {
    const isOfAddress = outcome._tag === "Refused" && outcome.isOfAddress === true
    return `${outcome._tag} ${taken.length}${isOfAddress ? " of the address" : ""}`
  })

describe("threat 78: a message by SMTP", () => {
  it.live("arrives once, with its id, its language and both parts", () =>
    Effect.gen(function* () {
      const { outcome, taken } = yield* sent("accept")
      assert.strictEqual(outcome._tag, "Accepted")
      assert.include(outcome.reply, "taken")
      assert.lengthOf(taken, 1)
      const { messageId = "", text = "", to } = taken[0] ?? {}
      assert.strictEqual(messageId, `${letter.messageId}@sender.example`)
      assert.deepStrictEqual(to, ["ann@example.org"])
      for (const line of [
        "From: wcs@sender.example",
        "To: ann@example.org",
        "Content-Language: de",
        "Auto-Submitted: auto-generated"
      ]) {
        assert.include(text, line)
      }
      assert.match(text, /^Subject: =\?UTF-8\?/m)
      assert.include(text, "Content-Type: text/plain")
      assert.include(text, "Content-Type: text/html")
    })
  )

  it.live("ends as the server answers, and as unknown only if the answer is missing after the message", () =>
    Effect.gen(function* () {
      const ends: Record<Behaviour, string> = {
        accept: "Accepted 1",
        acceptAndDie: "Unknown 1",
        dieBefore: "Unknown 0",
        closed: "Later 0",
        laterAtRcpt: "Later 0",
        laterAtData: "Later 0",
        refusedAtRcpt: "Refused 0 of the address",
        refusedAtData: "Refused 0",
        // The operator can mend these: the sender is not allowed, or the server does not relay.
        refusedAtMail: "Later 0",
        forbiddenAtRcpt: "Later 0"
      }
      for (const [behaviour, end] of Object.entries(ends)) {
        assert.strictEqual(yield* endOf(behaviour as Behaviour), end, behaviour)
      }
    })
  )

  it.live("waits if no server listens, or if the login is refused", () =>
    Effect.gen(function* () {
      const away = (yield* sent("accept", { port: 1 })).outcome
      assert.strictEqual(away._tag, "Later")
      // All tenants see it, so it has no address of the operator.
      assert.notInclude(away.reply, "127.0.0.1")
      const onAuth: SMTPServerOptions["onAuth"] = ({ password, username }, _session, callback) =>
        username === "wcs" && password === "right" ? callback(null, { user: username }) : callback(new Error("wrong"))
      const options = { onAuth, authOptional: false, allowInsecureAuth: true }
      const login = (password: string) => ({ login: { user: "wcs", password: Redacted.make(password) } })
      const refused = yield* sent("accept", login("wrong"), options)
      assert.deepStrictEqual([refused.outcome._tag, refused.taken.length], ["Later", 0])
      assert.notInclude(refused.outcome.reply, "wrong-password")
      assert.strictEqual((yield* sent("accept", login("right"), options)).outcome._tag, "Accepted")
    })
  )

  it.live("is not needed to try the server: connection, TLS and login", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { cert, key } = yield* localhost
        const onAuth: SMTPServerOptions["onAuth"] = ({ password }, _session, callback) =>
          password === "right" ? callback(null, { user: "wcs" }) : callback(new Error("wrong"))
        const { port, taken } = yield* started(() => "accept", { cert, key, disabledCommands: [], onAuth })
        const server = { from, host: "localhost", port, tls: "starttls", login: null, authorities: [cert] } as const
        const login = (password: string) => ({ user: "wcs", password: Redacted.make(password) })
        assert.isUndefined(yield* SmtpMessages.probe(server))
        assert.isUndefined(yield* SmtpMessages.probe({ ...server, login: login("right") }))
        assert.include(yield* SmtpMessages.probe({ ...server, login: login("wrong") }), "login")
        assert.include(yield* SmtpMessages.probe({ ...server, authorities: [] }), "certificate")
        assert.include(yield* SmtpMessages.probe({ ...server, port: 1 }), "ECONNREFUSED")
        assert.lengthOf(taken, 0)
      })
    )
  )

  it.live("is sent over TLS with a trusted certificate, and otherwise not at all", () =>
    Effect.gen(function* () {
      const { cert, key } = yield* localhost
      const secured = { cert, key, disabledCommands: [] }
      const starttls = { host: "localhost", tls: "starttls" } as const
      const trusted = yield* sent("accept", { ...starttls, authorities: [cert] }, secured)
      assert.deepStrictEqual([trusted.outcome._tag, trusted.taken[0]?.isSecure], ["Accepted", true])
      const implicit = { host: "localhost", tls: "implicit", authorities: [cert] } as const
      assert.strictEqual((yield* sent("accept", implicit, { ...secured, secure: true })).outcome._tag, "Accepted")
      const untrusted = yield* sent("accept", starttls, secured)
      assert.deepStrictEqual([untrusted.outcome._tag, untrusted.taken.length], ["Later", 0])
      const stripped = yield* sent("accept", { ...starttls, authorities: [cert] })
      assert.deepStrictEqual([stripped.outcome._tag, stripped.taken.length], ["Later", 0])
    })
  )

  it.live("cannot add recipients, headers or commands by its values", () =>
    Effect.gen(function* () {
      const hostile = { subject: "a\r\nBcc: eve@example.org", text: ".\r\nRCPT TO:<eve@example.org>\r\n" }
      const { taken } = yield* sent("accept", {}, {}, hostile)
      assert.deepStrictEqual(taken[0]?.to, ["ann@example.org"])
      assert.notMatch(taken[0]?.text ?? "", /^Bcc:/im)
    })
  )

  it.live("is refused before it is sent if it is too large", () =>
    Effect.gen(function* () {
      const { outcome, taken } = yield* sent("accept", {}, {}, { text: "x".repeat(300_000) })
      assert.deepStrictEqual([outcome._tag, taken.length], ["Refused", 0])
    })
  )
})

describe("a message in a folder", () => {
  it.live("is one file for each message, which a repetition replaces", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "wcs-messages-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const messages = yield* Effect.provide(Messages, FolderMessages.layer(join(folder, "out"), { from }))
      for (const text of ["first", "second"]) {
        assert.strictEqual((yield* messages.send({ ...letter, text }, () => {}))._tag, "Accepted")
      }
      assert.deepStrictEqual(readdirSync(join(folder, "out")), [`${letter.messageId}.eml`])
      assert.include(readFileSync(join(folder, "out", `${letter.messageId}.eml`), "utf8"), "second")
    })
  )

  it.live("waits if the folder cannot be written", () =>
    Effect.gen(function* () {
      const messages = yield* Effect.provide(Messages, FolderMessages.layer("/dev/null/none", { from }))
      assert.strictEqual((yield* messages.send(letter, () => {}))._tag, "Later")
    })
  )
})
