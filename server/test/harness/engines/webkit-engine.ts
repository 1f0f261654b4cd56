import { By, Builder, Key as Keys, until, type WebDriver, type WebElement } from 'selenium-webdriver';
import { findFreePort } from '../../../src/platform/local-postgres/free-port.ts';
import { patienceMs, untilTrue } from '../deadline.ts';
import { BrowserProcesses } from './browser-processes.ts';
import type { Engine, EnginePage, Key, Place } from './engine.ts';

const browser = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/webkit2gtk-4.1/MiniBrowser`;
const keys: Readonly<Record<Key, string>> = {
  Backspace: Keys.BACK_SPACE,
  ArrowLeft: Keys.ARROW_LEFT,
};

/** Debian's WebKitGTK in its small browser, driven through WebDriver. It needs a display. */
export class WebkitEngine implements Engine {
  readonly page: EnginePage;
  readonly #driver: WebDriver;
  readonly #processes: BrowserProcesses;

  static async start(): Promise<WebkitEngine> {
    const processes = new BrowserProcesses();
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
    try {
      await processes.startDisplay();
      processes.start('WebKitWebDriver', [`--port=${port}`]);
      await untilTrue(() => responds(`${url}/status`), { waitingFor: 'the driver of WebKit' });
      const driver = await new Builder()
        .usingServer(url)
        .withCapabilities({
          browserName: 'MiniBrowser',
          'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] },
        })
        .build();
      await driver.manage().setTimeouts({ script: patienceMs, pageLoad: patienceMs });
      return new WebkitEngine(driver, processes);
    } catch (error) {
      processes.stop();
      throw error;
    }
  }

  private constructor(driver: WebDriver, processes: BrowserProcesses) {
    this.#driver = driver;
    this.#processes = processes;
    this.page = new WebkitPage(driver);
  }

  /** Ends the browser before its driver, which would leave it running. */
  async stop(): Promise<void> {
    await this.#driver.quit().finally(() => this.#processes.stop());
  }
}

class WebkitPage implements EnginePage {
  readonly #driver: WebDriver;

  constructor(driver: WebDriver) {
    this.#driver = driver;
  }

  goto(url: string): Promise<void> {
    return this.#driver.get(url);
  }

  async evaluate(script: string, frameIn?: string): Promise<unknown> {
    await this.#enter(frameIn);
    const outcome = await this.#driver.executeAsyncScript<{ value?: unknown; error?: string }>(
      `const done = arguments[0];
       Promise.resolve().then(() => (${script})).then((value) => done({ value }), (error) => done({ error: String(error) }));`,
    );
    if (outcome.error !== undefined) throw new Error(outcome.error);
    return outcome.value ?? undefined;
  }

  async click(place: Place): Promise<void> {
    await (await this.#find(place)).click();
  }

  async type(place: Place, text: string): Promise<void> {
    const element = await this.#find(place);
    // WebDriver's own focus does not reach into frames. Focusing again would move the caret.
    const isActive = 'document.activeElement === arguments[0]';
    const hasFocus = await this.#driver.executeScript(
      `if (window === top) arguments[0].focus(); return ${isActive}`,
      element,
    );
    if (hasFocus !== true) await element.click();
    await element.sendKeys(text.replaceAll('\t', Keys.TAB));
  }

  press(place: Place, key: Key): Promise<void> {
    return this.type(place, keys[key]);
  }

  async resize(width: number, height: number): Promise<void> {
    await this.#driver.manage().window().setRect({ width, height, x: 0, y: 0 });
  }

  async photograph(): Promise<Uint8Array> {
    await this.#enter(undefined);
    return Buffer.from(await this.#driver.takeScreenshot(), 'base64');
  }

  async #find({ frameIn, at }: Place): Promise<WebElement> {
    await this.#enter(frameIn);
    const element = await this.#driver.wait(until.elementLocated(By.css(at)), patienceMs);
    await this.#driver.wait(until.elementIsVisible(element), patienceMs);
    return element;
  }

  async #enter(frameIn: string | undefined): Promise<void> {
    await this.#driver.switchTo().defaultContent();
    if (frameIn === undefined) return;
    const frame = await this.#driver.wait(until.elementLocated(By.css(`${frameIn} iframe`)), patienceMs);
    await this.#driver.switchTo().frame(frame);
  }
}

function responds(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}
