/** Foreign sites, which the browser visits between pages of the service. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createServerTls } from "node:https"
import { listen } from "../Listen.ts"

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

const escapeHtml = (text: string) => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character)

const page = (content: string) => `<!doctype html><html lang="en"><title>Another site</title>${content}</html>`

/** A page with a form that posts these fields: automatically with script, otherwise by its button. */
export const postingPage = (action: string, fields: Readonly<Record<string, string>>): string => {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`
  )
  const form = `<form method="post" action="${escapeHtml(action)}">${inputs.join("")}<button>Continue</button></form>`
  return page(`${form}<script>document.forms[0].submit()</script>`)
}

export interface Site {
  readonly origin: string
  readonly close: () => void
}

/**
 * Serves a page for each path on a free port. Over TLS its host is `localhost`: another origin of the service's own
 * site. Otherwise its host is an address: another site.
 */
export const openSite = async (
  pageOf: (url: string) => string | Promise<string>,
  tls?: { readonly cert: string; readonly key: string }
): Promise<Site> => {
  const handle = ({ url = "/" }: IncomingMessage, response: ServerResponse) => {
    Promise.resolve(pageOf(url)).then(
      (text) => response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(text),
      (error) => response.writeHead(500).end(String(error))
    )
  }
  const server = tls === undefined ? createServer(handle) : createServerTls(tls, handle)
  const port = await listen(server)
  return {
    origin: tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
