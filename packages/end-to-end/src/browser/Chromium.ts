/** Chromium as Debian packages it, with a profile that trusts one certificate. */
import { execFileSync } from "node:child_process"
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { type Browser, chromium } from "playwright-core"

const names = ["chromium", "chromium-browser", "google-chrome"]

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const onPath = (name: string): string | undefined =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable)

/** The path of Chromium; `WCS_CHROMIUM` names another one. */
const executable = (): string | undefined =>
  process.env["WCS_CHROMIUM"] ?? names.map(onPath).find((file) => file !== undefined)

/** The reason why this machine cannot run the tests; undefined if it can. */
export const missing = (): string | undefined => {
  if (executable() === undefined) return "Chromium is not installed"
  return onPath("certutil") === undefined ? "certutil, which gives Chromium a certificate, is not installed" : undefined
}

export interface OpenBrowser {
  readonly browser: Browser
  readonly close: () => Promise<void>
}

/** Opens a browser that trusts this certificate in addition to those that the system trusts. */
export const open = async (certificateFile: string): Promise<OpenBrowser> => {
  const home = mkdtempSync(join(tmpdir(), "wcs-chromium-"))
  const database = join(home, ".pki/nssdb")
  mkdirSync(database, { recursive: true })
  const certutil = (...args: ReadonlyArray<string>) => execFileSync("certutil", ["-d", `sql:${database}`, ...args])
  certutil("-N", "--empty-password")
  certutil("-A", "-t", "P,,", "-n", "service", "-i", certificateFile)
  const executablePath = executable()
  if (executablePath === undefined) throw new Error(missing())
  const isRoot = process.getuid?.() === 0
  const browser = await chromium.launch({
    executablePath,
    // Keeps the back-forward cache on, as in users' browsers: Back may show an outdated page.
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
    args: isRoot ? ["--no-sandbox"] : [], // Chromium refuses to run as root with its sandbox
    env: { PATH: process.env["PATH"] ?? "", HOME: home }
  })
  return {
    browser,
    close: async () => {
      await browser.close()
      rmSync(home, { recursive: true, force: true })
    }
  }
}
