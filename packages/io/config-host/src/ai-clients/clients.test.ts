// Where the files of each client are, on each system.
import { describe, expect, it } from 'vitest';
import type { UserEnvironment } from './client.js';
import { clientKinds } from './clients.js';

const filesAt = (user: UserEnvironment) => Object.fromEntries(clientKinds.map((kind) => [kind.id, kind.files(user)]));

describe('the files of AI clients', () => {
  it('are in ~/.config and the home on Linux', () => {
    expect(filesAt({ platform: 'linux', home: '/home/ann', env: {} })).toEqual({
      'claude-desktop': ['/home/ann/.config/Claude/claude_desktop_config.json'],
      'claude-code': ['/home/ann/.claude.json'],
      cursor: ['/home/ann/.cursor/mcp.json'],
      windsurf: ['/home/ann/.codeium/windsurf/mcp_config.json'],
      vscode: ['/home/ann/.config/Code/User/mcp.json'],
      zed: ['/home/ann/.config/zed/settings.json'],
      codex: ['/home/ann/.codex/config.toml'],
      'gemini-cli': ['/home/ann/.gemini/settings.json'],
      opencode: ['/home/ann/.config/opencode/opencode.json', '/home/ann/.config/opencode/opencode.jsonc'],
    });
  });

  it('follow XDG_CONFIG_HOME on Linux, and the folders that settings of clients name', () => {
    const env = { XDG_CONFIG_HOME: '/xdg', CLAUDE_CONFIG_DIR: '/claude', CODEX_HOME: '/codex' };
    const files = filesAt({ platform: 'linux', home: '/home/ann', env });
    expect(files).toMatchObject({
      'claude-desktop': ['/xdg/Claude/claude_desktop_config.json'],
      'claude-code': ['/claude/.claude.json'],
      vscode: ['/xdg/Code/User/mcp.json'],
      zed: ['/xdg/zed/settings.json'],
      codex: ['/codex/config.toml'],
      opencode: ['/xdg/opencode/opencode.json', '/xdg/opencode/opencode.jsonc'],
    });
  });

  it('are where they would be without XDG_CONFIG_HOME when it is relative', () => {
    const files = filesAt({ platform: 'linux', home: '/home/ann', env: { XDG_CONFIG_HOME: 'xdg' } });
    expect(files.zed).toEqual(['/home/ann/.config/zed/settings.json']);
  });

  it('are in Application Support and the home on macOS', () => {
    expect(filesAt({ platform: 'darwin', home: '/Users/ann', env: { XDG_CONFIG_HOME: '' } })).toEqual({
      'claude-desktop': ['/Users/ann/Library/Application Support/Claude/claude_desktop_config.json'],
      'claude-code': ['/Users/ann/.claude.json'],
      cursor: ['/Users/ann/.cursor/mcp.json'],
      windsurf: ['/Users/ann/.codeium/windsurf/mcp_config.json'],
      vscode: ['/Users/ann/Library/Application Support/Code/User/mcp.json'],
      zed: ['/Users/ann/.config/zed/settings.json'],
      codex: ['/Users/ann/.codex/config.toml'],
      'gemini-cli': ['/Users/ann/.gemini/settings.json'],
      opencode: ['/Users/ann/.config/opencode/opencode.json', '/Users/ann/.config/opencode/opencode.jsonc'],
    });
  });

  it('are in Roaming and the profile on Windows', () => {
    const env = { APPDATA: 'D:\\Roaming' };
    expect(filesAt({ platform: 'win32', home: 'C:\\Users\\Ann', env })).toEqual({
      'claude-desktop': ['D:\\Roaming\\Claude\\claude_desktop_config.json'],
      'claude-code': ['C:\\Users\\Ann\\.claude.json'],
      cursor: ['C:\\Users\\Ann\\.cursor\\mcp.json'],
      windsurf: ['C:\\Users\\Ann\\.codeium\\windsurf\\mcp_config.json'],
      vscode: ['D:\\Roaming\\Code\\User\\mcp.json'],
      zed: ['D:\\Roaming\\Zed\\settings.json'],
      codex: ['C:\\Users\\Ann\\.codex\\config.toml'],
      'gemini-cli': ['C:\\Users\\Ann\\.gemini\\settings.json'],
      opencode: [
        'C:\\Users\\Ann\\.config\\opencode\\opencode.json',
        'C:\\Users\\Ann\\.config\\opencode\\opencode.jsonc',
      ],
    });
    const [claude] = clientKinds;
    expect(claude?.files({ platform: 'win32', home: 'C:\\Users\\Ann', env: {} })).toEqual([
      'C:\\Users\\Ann\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
    ]);
  });
});
