import { Readable } from "node:stream"
import { attemptMillis, type Outcome } from "@wcs/domain/message/Message"
import { Messages } from "@wcs/domain/message/Messages"
import { Effect, Layer, Redacted } from "effect"
import { composed, messageMax, type Sender } from "./Mime.ts"

/** The mail server. */
export interface MailServer extends Sender {
  readonly host: string
  readonly port: number
  /**
   * implicit: TLS from the first byte. starttls: TLS before anything else, or no message. none: without TLS, for a server
   * on the same machine.
   */
  readonly tls: "implicit" | "starttls" | "none"
  readonly login: { readonly user: string; readonly password: Redacted.Redacted } | null
  /** Certificates of further authorities, PEM. */
  readonly authorities?: ReadonlyArray<string>
}

/** What the library tells of a failure. */
interface SmtpError extends Error {
  readonly code?: string
  readonly command?: string
  /** The status of the server's answer. */
  readonly responseCode?: number
  readonly response?: string
}

/** Statuses about the login (RFC 4954, section 6). */
const loginStatuses: ReadonlyArray<number | undefined> = [530, 534, 535, 538]

/**
 * Whether a refusal is about the connection, the login, the sender or a rule of the server (5.7.x, RFC 3463). Then it says
 * nothing about the message or its address, and the operator can mend it.
 */
const isAboutUs = ({ code, command = "", response = "", responseCode }: SmtpError): boolean =>
  code === "EAUTH" ||
  code === "ETLS" ||
  loginStatuses.includes(responseCode) ||
  /^5\d\d[ -]5\.7\./.test(response) ||
  /^(CONN|EHLO|HELO|STARTTLS|AUTH|API|MAIL)/.test(command)

/** Whether a refusal is about the recipient's address: the answer to it, or 5.1.x (RFC 3463), except for the sender (5.1.7 and 5.1.8). */
const isAboutAddress = ({ command = "", response = "" }: SmtpError): boolean =>
  command.startsWith("RCPT") || /^5\d\d[ -]5\.1\.[^78]/.test(response)

/** What the tenants are told of a failure that is not about their message. The log has the details. */
const toldOf = ({ code, responseCode }: SmtpError): string => {
  if (code === "EAUTH" || loginStatuses.includes(responseCode)) return "The mail server refused the login."
  if (code === "ETLS") return "The connection to the mail server could not be secured."
  return responseCode === undefined
    ? "The mail server could not be reached, or closed the connection."
    : "The mail server refused the sender or the connection."
}

/**
 * Tells how a failed attempt ended. `isHanded` says that the server had asked for the message, and the message was given to
 * it. Then only an answer is certain.
 */
export const outcomeOf = (error: SmtpError, isHanded: boolean): Outcome => {
  const { response, responseCode } = error
  if (responseCode === undefined) return { _tag: isHanded ? "Unknown" : "Later", reply: toldOf(error) }
  if (isAboutUs(error)) return { _tag: "Later", reply: toldOf(error) }
  const isForGood = responseCode >= 500 && responseCode < 600
  const reply = response ?? toldOf(error)
  return isForGood ? { _tag: "Refused", reply, isOfAddress: isAboutAddress(error) } : { _tag: "Later", reply }
}

/** Time limits of the steps of an attempt, in milliseconds. That of the socket counts from the last byte. */
const timeouts = {
  connectionTimeout: attemptMillis / 8,
  greetingTimeout: attemptMillis / 8,
  socketTimeout: attemptMillis / 2,
  dnsTimeout: attemptMillis / 8
}

type Connection = InstanceType<typeof import("nodemailer/lib/smtp-connection")["default"]>

const optionsOf = ({ authorities, host, port, tls }: MailServer) => ({
  host,
  port,
  secure: tls === "implicit",
  requireTLS: tls === "starttls",
  ignoreTLS: tls === "none",
  ...(authorities === undefined ? {} : { tls: { ca: [...authorities] } }),
  ...timeouts
})

/** Sends bytes by one connection. Calls back once. */
const converse = (
  connection: Connection,
  { from, login }: MailServer,
  { to, bytes }: { readonly to: string; readonly bytes: Buffer },
  handed: () => void,
  done: (outcome: Outcome, error?: Error) => void
): void => {
  let isHanded = false
  let isDone = false
  const end = (outcome: Outcome, error?: Error) => {
    if (isDone) return
    isDone = true
    if (outcome._tag === "Accepted") connection.quit()
    else connection.close()
    done(outcome, error)
  }
  const fail = (error: SmtpError) => end(outcomeOf(error, isHanded), error)
  // The library reads the message only after the server has asked for it.
  const body = new Readable({
    read() {
      isHanded = true
      handed()
      this.push(bytes)
      this.push(null)
    }
  })
  const send = () =>
    connection.send({ from, to: [to], size: bytes.length }, body, (error, info) =>
      error ? fail(error as SmtpError) : end({ _tag: "Accepted", reply: info?.response ?? "" })
    )
  connection.on("error", (error: Error) => fail(error as SmtpError))
  connection.once("end", () => fail(new Error("The mail server closed the connection.") as SmtpError))
  connection.connect((error) => {
    if (error) return fail(error as SmtpError)
    if (login === null) return send()
    const credentials = { user: login.user, pass: Redacted.value(login.password) }
    connection.login({ credentials }, (refused) => (refused ? fail(refused as SmtpError) : send()))
  })
}

/** Connects, secures the connection and logs in, as before a message. Returns why not; undefined if all went well. */
export const probe = Effect.fnUntraced(function* (server: MailServer) {
  const { default: SmtpConnection } = yield* Effect.promise(() => import("nodemailer/lib/smtp-connection"))
  return yield* Effect.callback<string | undefined>((resume) => {
    const connection = new SmtpConnection(optionsOf(server))
    let isDone = false
    const end = (error?: Error | null) => {
      if (isDone) return
      isDone = true // closing calls this again
      connection.close()
      resume(Effect.succeed(error?.message))
    }
    connection.on("error", end)
    connection.once("end", () => end(new Error("The mail server closed the connection.")))
    connection.connect((error) => {
      if (error || server.login === null) return end(error)
      connection.login({ credentials: { user: server.login.user, pass: Redacted.value(server.login.password) } }, end)
    })
    return Effect.sync(() => connection.close())
  }).pipe(Effect.timeoutOrElse({ duration: attemptMillis / 4, orElse: () => Effect.succeed("no answer in time") }))
})

/** Sends messages by SMTP, each by a connection of its own. */
export const layer = (server: MailServer): Layer.Layer<Messages> =>
  Layer.succeed(
    Messages,
    Messages.of({
      send: Effect.fnUntraced(function* (letter, handed) {
        const bytes = yield* composed(server, letter)
        if (bytes.length > messageMax)
          return { _tag: "Refused", reply: `The message has more than ${messageMax} bytes.` }
        const { default: SmtpConnection } = yield* Effect.promise(() => import("nodemailer/lib/smtp-connection"))
        return yield* Effect.callback<Outcome>((resume) => {
          const connection = new SmtpConnection(optionsOf(server))
          converse(connection, server, { to: letter.to, bytes }, handed, (outcome, error) =>
            resume(
              error === undefined
                ? Effect.succeed(outcome)
                : Effect.as(Effect.logDebug("The mail server did not take a message.", error.message), outcome)
            )
          )
          return Effect.sync(() => connection.close())
        })
      })
    })
  )
