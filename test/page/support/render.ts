import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement, type ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { Router } from "wouter";

interface RenderOptions {
  /** The query of the address, such as `?sort=name`. */
  readonly search?: string;
  /** Answers of the services by query key, as if they had been asked. */
  readonly answers?: readonly (readonly [key: readonly unknown[], data: unknown])[];
}

/** The HTML of a component of the page, without a browser: for what it says and in which colour. */
export function renderHtml(element: ReactElement, { search = "", answers = [] }: RenderOptions = {}): string {
  // What components read of a browser.
  Object.assign(globalThis, { location: { pathname: "/", search, hash: "" }, localStorage: { getItem: () => null } });
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  for (const [key, data] of answers) client.setQueryData(key, data);
  const routed = createElement(Router, { ssrPath: "/", children: element });
  return renderToStaticMarkup(createElement(QueryClientProvider, { client, children: routed }));
}

/** The text of HTML, with one space between elements. */
export const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
