import { inOrder } from "../calls/CleanUp.ts"
import { callsPosition } from "../judgement/Difference.ts"
import { prefixOf } from "../network/Forwarding.ts"
import { clientsOf } from "../profile/Clients.ts"
import { groupPathOf } from "../profile/Groups.ts"
import { credentialsOf } from "../profile/Principals.ts"
import type { Profile } from "../profile/Profile.ts"
import { newerRoot } from "../profile/Roots.ts"
import { namesOf } from "../profile/Secrets.ts"
import { chainOf, givenTokensIn, idsOf, saidBy, shownAt, wordOf } from "../report/Chain.ts"
import type { RecordedExchange, Report, RuleReport } from "../report/Report.ts"
import * as ReportText from "../report/ReportText.ts"
import { handle, handles } from "../text/Handle.ts"
import { inLine } from "../text/Visible.ts"
import { bodyOf, headerArgs } from "./CurlArguments.ts"
import { checkOf, keyPattern } from "./ReproChecks.ts"
import { reproFunctions } from "./ReproFunctions.ts"
import { attempted, type Race, raceCheck, raceOf } from "./ReproRace.ts"
import { comment, quote, variableName, word } from "./Shell.ts"

/** A variable of the script with a value from a response. */
interface Captured {
  readonly name: string
  readonly value: string
  readonly exchange: number
  readonly key: string
  readonly nth: number
  /** The entity type, if the value is the id of a created resource. */
  readonly type: string | undefined
  /** Created on the second tenant's host. */
  readonly isElsewhere: boolean
}

/** The origins of requests, each with its first name. */
const originsOf = (profile: Profile): ReadonlyArray<readonly [name: string, origin: string]> => {
  const { legacy, newer, secondTenant } = profile
  const named = [
    ["BASE", newer.tenantBaseUrl],
    ["OTHER", secondTenant?.tenantBaseUrl],
    ["PLAIN", newer.plainHttpUrl],
    ["LEGACY", legacy?.baseUrl],
    ["OTHER_LEGACY", legacy?.otherOrganization?.baseUrl],
    ["PLAIN_LEGACY", legacy?.plainHttpUrl]
  ] as const
  const names = new Map<string, string>()
  for (const [name, url] of named) {
    const base = url?.replace(/\/$/, "")
    if (base !== undefined && !names.has(base)) names.set(base, name)
  }
  return [...names].map(([base, name]) => [name, base] as const)
}

/** The root of the newer surface, behind the prefix of what stands in front. */
const rootOf = (profile: Profile): string => `${prefixOf(profile, newerRoot)}${newerRoot}`

const isAtOther = ({ request }: RecordedExchange, { secondTenant }: Profile): boolean =>
  secondTenant !== undefined && request.url.startsWith(`${secondTenant.tenantBaseUrl.replace(/\/$/, "")}/`)

const typeMadeBy = ({ answer, request }: RecordedExchange, profile: Profile): string | undefined => {
  if (!URL.canParse(request.url)) return undefined // a secret was a part of the host
  const { pathname } = new URL(request.url)
  const isMade = request.method === "POST" && answer !== null && answer.status >= 200 && answer.status < 300
  const types = [...new Set(["worker", "credential", ...Object.keys(profile.groups ?? {})])]
  return isMade ? types.find((type) => pathname === `${newerRoot}${groupPathOf(profile, type)}`) : undefined
}

/** Returns the response values that later requests or the clean-up use. */
const capturedFrom = (chain: ReadonlyArray<RecordedExchange>, profile: Profile): ReadonlyArray<Captured> => {
  const said = chain.map(saidBy).join("\n")
  const tokens = givenTokensIn(said)
  const seen = new Set<string>()
  return chain.flatMap((exchange) => {
    const { number } = exchange
    const type = typeMadeBy(exchange, profile)
    const isToken = (key: string) => tokens.some((token) => token.key === key && token.exchange === number)
    const all = idsOf(exchange)
    const own = all.find(({ key }) => key === "id")
    const ids = all.filter(
      (shown) => !seen.has(shown.value) && ((type !== undefined && shown === own) || wordOf(shown.value).test(said))
    )
    for (const { value } of ids) seen.add(value)
    return [...ids, ...shownAt(exchange, isToken)].map((shown): Captured => {
      const isOwn = type !== undefined && own !== undefined && shown.value === own.value
      return {
        ...shown,
        exchange: number,
        name: variableName(isOwn ? `${type}_${number}` : `${shown.key}_${number}`),
        type: isOwn ? type : undefined,
        isElsewhere: isAtOther(exchange, profile)
      }
    })
  })
}

/**
 * Returns the shell expansion of a handle; undefined if the script cannot know the value. Only variables that the
 * profile names are expanded, because a report may come from elsewhere.
 */
const expansionOf = (name: string, { captured, profile }: Pick<Making, "captured" | "profile">): string | undefined => {
  const [, made, of = ""] =
    /^(payload of|signature of|swapped case of|(?:first|last) \d+ of|form-encoded) (.*)$/.exec(name) ?? []
  if (made !== undefined) {
    const inner = expansionOf(of, { captured, profile })
    const command = {
      "payload of": "part 2",
      "signature of": "part 3",
      "swapped case of": "swapped_case",
      "form-encoded": "form_encoded"
    }[made]
    return inner && `$(${command ?? made.replace(" of", "")} "${inner}")`
  }
  const [, key, number] = /^([\w.-]+) of #(\d+)$/.exec(name) ?? []
  if (key !== undefined) {
    const given = captured.find((one) => one.key === key && one.exchange === Number(number))
    return given && `$${given.name}`
  }
  if (namesOf(profile).includes(name)) return `$${name}`
  const [, principal = ""] = /^token of (.*)$/.exec(name) ?? []
  return clientsOf(profile).has(principal) ? `$${variableName(name)}` : undefined
}

/** The input of a script. */
interface Making {
  readonly report: Report
  readonly rule: RuleReport
  readonly profile: Profile
  readonly chain: ReadonlyArray<RecordedExchange>
  readonly captured: ReadonlyArray<Captured>
  readonly word: (text: string) => string
}

/** Replaces a secret that the report does not contain. */
const madeUp = "undisclosed"

/** Whether the script sends something other than the run did. */
const isApproximate = (making: Pick<Making, "captured" | "chain" | "profile">): boolean =>
  making.chain
    .map(saidBy)
    .some((said) => [...said.matchAll(handles)].some(([, name = ""]) => expansionOf(name, making) === undefined))

const wordsOf = (report: Report, captured: ReadonlyArray<Captured>, profile: Profile): Making["word"] => {
  // names of the run are replaced by names of the script
  const ours = `conf-${report.header.run}-`
  const byValue = new Map(
    captured.flatMap(({ name, value }) => [
      [value, name],
      [encodeURIComponent(value), name]
    ])
  )
  const values = [...byValue.keys()].filter((value) => !handle.test(value)).map((value) => wordOf(value).source)
  const parts = new RegExp([handle.source, `(?<![\\w-])${ours}(?=\\d)`, ...values].join("|"), "g")
  return (text) =>
    word(text, parts, (part) => {
      if (part === ours) return "conf-$RUN-"
      const [, name] = handle.exec(part) ?? []
      if (name === undefined) return `$${byValue.get(part)}`
      return expansionOf(name, { captured, profile }) ?? madeUp
    })
}

const urlOf = ({ profile, word: toWord }: Making, url: string): string => {
  const origin = originsOf(profile).find(([, one]) => url === one || url.startsWith(`${one}/`))
  if (origin === undefined) return toWord(url)
  const path = url.slice(origin[1].length)
  return `"$${origin[0]}"${toWord(`${prefixOf(profile, path.split("?", 1)[0] ?? "")}${path}`)}`
}

/**
 * Whether an exchange must succeed again: a control, or the create of a resource that the evidence uses. Controls come
 * before the first exchange with differences. Later ones may be probes without differences, and so may a write of
 * another principal than the one that read a change.
 */
const isBuiltOn = ({ captured, chain, rule }: Making, { answer, number, principal, request }: RecordedExchange) => {
  const found = ReportText.decisive(rule)
  const wrong = found.flatMap(({ differences }) => differences)
  const first = Math.min(...wrong.map(({ exchange }) => exchange))
  const reader = chain.find((one) => one.number === first)?.principal
  const isChanged = wrong.every(({ exchange, kind }) => exchange !== first || kind === "changed")
  const isCause = isChanged && principal !== reader && !["GET", "HEAD"].includes(request.method)
  const isControl = number < first && !isCause && found.some(({ exchanges }) => exchanges.includes(number))
  const isMaker = !wrong.some(({ exchange }) => exchange === number) && captured.some((one) => one.exchange === number)
  return (isControl || isMaker) && answer !== null && answer.status >= 200 && answer.status < 300
}

/** The command that repeats a request of the run. */
const asking = (making: Making, exchange: RecordedExchange): string => {
  const { args, pipe } = bodyOf(exchange, making.word)
  const { method, url } = exchange.request
  const lines = [
    `${pipe}ask ${exchange.number} ${method === "HEAD" ? "--head" : `--request ${quote(method)}`}`,
    ...headerArgs(exchange, making.word),
    ...args,
    urlOf(making, url)
  ]
  return lines.join(" \\\n  ")
}

const step = (making: Making, exchange: RecordedExchange): string => {
  const { number } = exchange
  return [
    comment(ReportText.exchangeLine(exchange)),
    asking(making, exchange),
    ...(isBuiltOn(making, exchange) ? [`built_on ${number}`] : []),
    ...making.captured
      .filter((one) => one.exchange === number)
      .flatMap(({ key, name, nth }) => [
        `${name}=$(id ${number} ${keyPattern(key)} ${nth})`,
        `[ -n "$${name}" ] || give_up "#${number} returned no ${name}"`
      ])
  ].join("\n")
}

/** Sends concurrent requests in the background and waits for all of them. */
const stepsOf = (making: Making, race: Race | undefined): ReadonlyArray<string> =>
  making.chain.map((exchange) => {
    if (race?.racers.includes(exchange) !== true) return `${step(making, exchange)}\n`
    const line = `${comment(ReportText.exchangeLine(exchange))}\n${asking(making, exchange)} &\n`
    return exchange === race.racers.at(-1) ? `${line}wait\n` : line
  })

/** Tenants whose admins delete the resources. A create on the second host may have created something on the first. */
const homes = [
  { principal: "admin", origin: "BASE", isElsewhere: false },
  { principal: "secondTenant.admin", origin: "OTHER", isElsewhere: true }
] as const

const adminToken = (profile: Profile, principal: (typeof homes)[number]["principal"]): string => {
  const credentials = credentialsOf(profile, principal)
  return credentials !== undefined && "token" in credentials
    ? credentials.token.slice(2, -1)
    : variableName(`token of ${principal}`)
}

const cleanUp = ({ captured, profile }: Making): string => {
  const made = inOrder(
    captured.flatMap(({ isElsewhere, name, type }) => (type === undefined ? [] : [{ isElsewhere, name, type }]))
  )
  const lines = made.flatMap(({ isElsewhere, name, type }) => {
    const how = profile.groups?.[type]?.delete
    if (how === undefined)
      return `  [ -z "\${${name}-}" ] || printf '${type} %s remains: the profile has no delete path\\n' "$${name}"`
    const path = word(`${rootOf(profile)}${how.path}`, /\{\{id\}\}/g, () => `$${name}`)
    return homes
      .filter((home) => isElsewhere || !home.isElsewhere)
      .map(({ origin, principal }) => {
        const header = `--header "Authorization: Bearer $${adminToken(profile, principal)}"`
        return `  [ -z "\${${name}-}" ] || ask clean_up --request ${how.method} ${header} "$${origin}"${path} >/dev/null`
      })
  })
  return [
    "delete_made() {",
    ...lines,
    ...made.map(({ name }) => `  ${name}=`),
    "  :",
    "}",
    "",
    "clean_up() {",
    "  delete_made",
    '  rm -rf "$dir"',
    "}",
    "",
    'mkdir "$dir" || exit 2',
    "trap clean_up EXIT",
    "trap 'exit 130' HUP INT TERM"
  ].join("\n")
}

const textOf = (text: string): string => {
  const [, name] = /^\$\{(\w+)\}$/.exec(text) ?? []
  return name === undefined ? quote(text) : `"$${name}"`
}

/** The tokens that the chain and the clean-up need. */
const credentials = ({ captured, chain, profile }: Making): ReadonlyArray<string> => {
  const said = chain.map(saidBy).join("\n")
  const isNeeded = (marked: string) => new RegExp(`‹[^‹›]*${marked.replaceAll(".", "\\.")}›`).test(said)
  const isCleaning = (principal: string) =>
    captured.some(({ isElsewhere, type }) =>
      homes.some((home) => home.principal === principal && type !== undefined && (isElsewhere || !home.isElsewhere))
    )
  return [...clientsOf(profile)].flatMap(([principal, { clientId, clientSecret }]) => {
    const origin = principal.startsWith("secondTenant") ? "OTHER" : "BASE"
    const token = variableName(`token of ${principal}`)
    return isNeeded(`token of ${principal}`) || isCleaning(principal)
      ? [
          `${token}=$(token_of ${textOf(clientId)} ${textOf(clientSecret)} "$${origin}"${quote(rootOf(profile))})`,
          `[ -n "$${token}" ] || give_up 'the token endpoint grants no token to ${principal}'`
        ]
      : []
  })
}

const curlOptions = (profile: Profile): ReadonlyArray<string> => {
  const resolved = originsOf(profile).flatMap(([, origin]) => {
    const { hostname, port, protocol } = new URL(origin)
    const address = profile.resolve?.[hostname]
    const usual = protocol === "https:" ? "443" : "80"
    const host = address?.includes(":") === true ? `[${address}]` : address
    return address === undefined ? [] : [`--resolve ${quote(`${hostname}:${port || usual}:${host}`)}`]
  })
  const { clientCertificate: own, headers = {} } = profile.network ?? {}
  const further = Object.entries(headers).map(([name, value]) => {
    const [, variable] = /^\$\{(\w+)\}$/.exec(value) ?? []
    return variable === undefined
      ? `--header ${quote(`${name}: ${value}`)}`
      : `--header ${quote(`${name}: `)}"$${variable}"`
  })
  return [
    ...(profile.tls?.caFile === undefined ? [] : ['--cacert "$CA"']),
    ...(own === undefined ? [] : [`--cert ${quote(own.certFile)} --key ${quote(own.keyFile)}`]),
    ...new Set(resolved),
    ...further
  ]
}

/** The variables of the script. Checks those that come from the environment. */
const settings = (profile: Profile, script: string): ReadonlyArray<string> => {
  const wanted = namesOf(profile).filter((name) => new RegExp(`"\\$${name}"|Bearer \\$${name}\\b`).test(script))
  const caFile = profile.tls?.caFile
  return [
    ...wanted.map((name) => `: "\${${name}:?must be set, because the profile names it}"`),
    ...originsOf(profile).map(([name, origin]) => `${name}=${quote(origin)}`),
    ...(caFile === undefined ? [] : ["# relative to the profile", `CA=\${CONF_CA_FILE:-${quote(caFile)}}`]),
    "RUN=r$$x$(date +%s)"
  ]
}

const about = ({ chain, report, rule }: Making): ReadonlyArray<string> => [
  "#!/bin/sh",
  comment(`${rule.id} (${ReportText.standing(rule)})`),
  comment(inLine(rule.text)),
  comment(`Found by run ${report.header.run} of ${report.header.startedAt} at ${inLine(report.header.target)}.`),
  comment("Needs curl and the environment variables that the profile names. Deletes everything that it creates."),
  comment("Exit code: 1 the failure was reproduced; 0 everything is as expected; 2 no result."),
  ...(raceOf(rule, chain) === undefined
    ? []
    : [comment("Sends the concurrent requests of the run concurrently, several times. Exit code 0 proves nothing.")])
]

/**
 * Returns a script that reproduces the failure of a rule with the shortest chain of requests and fresh resources.
 * Returns undefined if nothing failed, if the failure is in a delivery, or if the report lacks the exchanges.
 */
export const reproOf = (report: Report, rule: RuleReport, profile: Profile): string | undefined => {
  if (!ReportText.isShownAgain(rule, report)) return undefined
  const chain = chainOf(rule, report.exchanges)
  if (chain.length === 0) return undefined
  const captured = capturedFrom(chain, profile)
  const making = { report, rule, profile, chain, captured, word: wordsOf(report, captured, profile) }
  const numbers = new Map(chain.map((exchange) => [exchange.number, exchange]))
  // the script makes the same calls, so differences in the calls need no check
  const differences = ReportText.decisive(rule).flatMap((finding) =>
    finding.differences.filter(({ at }) => at !== callsPosition)
  )
  const race = raceOf(rule, chain)
  const checks = differences
    .filter(({ exchange }) => numbers.has(exchange))
    .map((one) => checkOf(one, numbers.get(one.exchange), making.word))
  const shown = stepsOf(making, race)
  const steps = [
    ...credentials(making),
    "",
    ...(race === undefined ? [...shown, ...checks] : attempted([...shown, raceCheck(race, making.word)])),
    "",
    ...(isApproximate(making)
      ? [
          `printf '\\n%s\\n' 'The run sent a secret that the report does not show; the script sent an invented one.'`,
          "unsure=$((unsure + 1))"
        ]
      : []),
    '[ "$again" -eq 0 ] || exit 1',
    '[ "$unsure" -eq 0 ] || exit 2'
  ]
  const cleaning = cleanUp(making)
  const functions = reproFunctions(curlOptions(profile))
  const before = settings(profile, [functions, cleaning, ...steps].join("\n"))
  return [...about(making), ...before, "", functions, "", cleaning, "", ...steps, ""].join("\n")
}

/** Returns all scripts of a report by their path. */
export const reprosOf = (report: Report, profile: Profile): ReadonlyMap<string, string> =>
  new Map(
    report.rules.flatMap((rule) => {
      const script = reproOf(report, rule, profile)
      return script === undefined ? [] : [[ReportText.reproPath(rule.id), script] as const]
    })
  )
