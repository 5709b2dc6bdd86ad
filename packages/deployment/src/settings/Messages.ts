import { isEmail } from "@wcs/domain/access/Account"
import { Effect, Option, Redacted } from "effect"
import { consistent, filePath, oneOf, optional, path, required, wholeNumber } from "./Variable.ts"

/** How messages leave the deployment. */
export type MessagesSettings =
  | { readonly _tag: "Off" }
  | { readonly _tag: "Folder"; readonly from: string; readonly folder: string }
  | {
      readonly _tag: "Smtp"
      readonly from: string
      readonly host: string
      readonly port: number
      readonly tls: "implicit" | "starttls" | "none"
      readonly login: { readonly user: string; readonly password: Redacted.Redacted } | null
    }

/** The settings of messages to users. */
export interface MessageSettings {
  readonly messages: MessagesSettings
}

/** The standard ports of message submission (RFC 8314, section 3.3). */
const ports = { implicit: 465, starttls: 587, none: 25 } as const

const isHost = (text: string): boolean => /^[a-z0-9.:-]{1,253}$/i.test(text)

/** The variables of this part, in the order of the table in README.md. */
export const variables = {
  messages: {
    name: "WCS_MESSAGES",
    must: "off, folder or smtp",
    standard: "off",
    meaning:
      "How [e-mails](#e-mail) to users are sent. `off`: not at all. `folder`: as files, for trials. `smtp`: by your mail server.",
    read: oneOf("off", "folder", "smtp")
  },
  from: {
    name: "WCS_MESSAGES_FROM",
    must: "an email address",
    standard: "",
    meaning: "Address in `From` of all messages. Required with `folder` and `smtp`.",
    read: (text: string) => Option.filter(Option.some(text), isEmail)
  },
  folder: {
    name: "WCS_MESSAGES_FOLDER",
    must: "the path of a folder",
    standard: "",
    meaning: "With `folder`: folder for the files `*.eml`.",
    read: path
  },
  host: {
    name: "WCS_SMTP_HOST",
    must: "a host name or an address",
    standard: "",
    meaning: "With `smtp`: host of the mail server.",
    read: (text: string) => Option.filter(Option.some(text), isHost)
  },
  port: {
    name: "WCS_SMTP_PORT",
    ...wholeNumber(1, 65_535),
    standard: "",
    meaning: "With `smtp`: port of the mail server. Default: 587 with `starttls`, 465 with `implicit`, 25 with `none`."
  },
  tls: {
    name: "WCS_SMTP_TLS",
    must: "starttls, implicit or none",
    standard: "starttls",
    meaning:
      "With `smtp`: TLS after the greeting, from the first byte, or not at all. `none` is only for a mail server on the same machine.",
    read: oneOf("starttls", "implicit", "none")
  },
  user: {
    name: "WCS_SMTP_USER",
    must: "1 to 200 characters",
    standard: "",
    meaning: "With `smtp`: user name at the mail server. Without it, there is no login.",
    read: (text: string) => Option.filter(Option.some(text), (user) => user.length <= 200)
  },
  password: {
    name: "WCS_SMTP_PASSWORD",
    must: "1 to 1000 characters",
    standard: "",
    meaning: "With `smtp`: password of `WCS_SMTP_USER`.",
    read: (text: string) => Option.filter(Option.some(text), (password) => password.length <= 1000),
    isSecret: true
  },
  passwordFile: {
    name: "WCS_SMTP_PASSWORD_FILE",
    ...filePath,
    standard: "",
    meaning:
      "File with the value of `WCS_SMTP_PASSWORD`. Must be [private](#secret-files). Replaces `WCS_SMTP_PASSWORD`."
  }
} as const

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host)

export const read = Effect.gen(function* () {
  const choice = yield* required(variables.messages)
  const from = Option.getOrUndefined(yield* optional(variables.from))
  const folder = Option.getOrUndefined(yield* optional(variables.folder))
  const host = Option.getOrUndefined(yield* optional(variables.host))
  const port = Option.getOrUndefined(yield* optional(variables.port))
  const tls = yield* required(variables.tls)
  const user = Option.getOrUndefined(yield* optional(variables.user))
  const password = Option.getOrUndefined(yield* optional(variables.password))
  yield* consistent([
    choice !== "off" && from === undefined && "WCS_MESSAGES_FROM must be set when WCS_MESSAGES is folder or smtp.",
    choice === "folder" && folder === undefined && "WCS_MESSAGES_FOLDER must be set when WCS_MESSAGES is folder.",
    choice === "smtp" && host === undefined && "WCS_SMTP_HOST must be set when WCS_MESSAGES is smtp.",
    choice === "smtp" &&
      (user === undefined) !== (password === undefined) &&
      "WCS_SMTP_USER and WCS_SMTP_PASSWORD must be set together.",
    choice === "smtp" &&
      tls === "none" &&
      host !== undefined &&
      !isLoopback(host) &&
      "WCS_SMTP_TLS must be starttls or implicit when WCS_SMTP_HOST is another machine."
  ])
  const off = { messages: { _tag: "Off" } } satisfies MessageSettings
  if (choice === "off" || from === undefined) return off
  if (choice === "folder") return folder === undefined ? off : { messages: { _tag: "Folder", from, folder } as const }
  if (host === undefined) return off
  const login = user === undefined || password === undefined ? null : { user, password: Redacted.make(password) }
  return { messages: { _tag: "Smtp", from, host, port: port ?? ports[tls], tls, login } as const }
})
