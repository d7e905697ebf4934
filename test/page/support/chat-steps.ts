import type { Locator, Page } from "playwright-core";

/** Sends a message in the chat. */
export async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.keyboard.press("Enter");
}

/** True when an element is within the visible part of its scrolling list. */
export const isInSight = (option: Locator): Promise<boolean> =>
  option.evaluate((element) => {
    const place = element.getBoundingClientRect();
    const list = element.closest(".overflow-y-auto")?.getBoundingClientRect();
    return list !== undefined && place.top >= list.top && place.bottom <= list.bottom;
  });
