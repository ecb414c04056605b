<#
.SYNOPSIS
Puts vkloader's vulkan-1.dll beside one program.
.DESCRIPTION
Windows prefers a vulkan-1.dll beside a program to the one in the system's directory. Other programs are not affected.
The script keeps an existing file as vulkan-1.dll.before-vkloader, and -Remove restores it. With -WhatIf, the script changes nothing.
.PARAMETER Program
The program: path of its .exe file. A launcher that starts another .exe is not the program.
.PARAMETER Size
The word size of the program, x64 or x86. Only for programs made with .NET, whose files do not state it.
.PARAMETER System
Replace the loader of all programs instead. Needs a prompt that runs as administrator.
.PARAMETER Remove
Restore the earlier file.
.EXAMPLE
.\use-vkloader.ps1 C:\Games\game.exe
.EXAMPLE
.\use-vkloader.ps1 C:\Games\game.exe -Remove
#>
[CmdletBinding(SupportsShouldProcess = $true)]
param(
    [Parameter(Position = 0)] [string] $Program,
    [ValidateSet('x64', 'x86')] [string] $Size,
    [switch] $System,
    [switch] $Remove
)
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
$name = 'vulkan-1.dll'
$kept = '.before-vkloader'
$here = Split-Path -Parent $MyInvocation.MyCommand.Path

# Returns the directory of this archive for a program, x64 or x86, by the machine in the header of its file.
function Get-Size([string] $file) {
    $bytes = New-Object byte[] 4096
    $stream = [IO.File]::OpenRead($file)
    try { $count = $stream.Read($bytes, 0, $bytes.Length) } finally { $stream.Dispose() }
    if ($count -lt 64 -or $bytes[0] -ne 0x4d -or $bytes[1] -ne 0x5a) { throw "$file is no program of Windows" }
    $at = [BitConverter]::ToInt32($bytes, 60)
    if ($at -lt 0 -or $at + 240 -gt $count) { throw "$file is no program of Windows" }
    switch ([BitConverter]::ToUInt16($bytes, $at + 4)) {
        0x8664 { return 'x64' }
        0x014c {
            # Most programs made with .NET have x86 in the header, but run with the word size of Windows.
            if ([BitConverter]::ToInt32($bytes, $at + 232) -ne 0) { throw "$file is made with .NET: say -Size x64 or -Size x86" }
            return 'x86'
        }
        default { throw "$file is for a processor that vkloader has no loader for" }
    }
}

function Test-Ours([string] $file) {
    return (Get-Item -LiteralPath $file -Force).VersionInfo.ProductName -eq 'vkloader'
}

# Copies the loader into a directory. An existing file gets another name.
function Install-Loader([string] $size, [string] $directory) {
    $to = Join-Path $directory $name
    if ((Test-Path -LiteralPath $to) -and -not (Test-Ours $to)) {
        Move-Item -LiteralPath $to -Destination ($to + $kept) -Force -Confirm:$false
    }
    try {
        Copy-Item -LiteralPath (Join-Path (Join-Path $here $size) $name) -Destination $to -Force -Confirm:$false
    } catch {
        if ((Test-Path -LiteralPath ($to + $kept)) -and -not (Test-Path -LiteralPath $to)) {
            Move-Item -LiteralPath ($to + $kept) -Destination $to -Confirm:$false
        }
        throw
    }
    Write-Output "$to is vkloader's now"
}

# Removes the loader from a directory, and restores the earlier file. It keeps another program's file.
function Remove-Loader([string] $directory) {
    $to = Join-Path $directory $name
    if ((Test-Path -LiteralPath $to) -and -not (Test-Ours $to)) {
        Write-Output "$to is not vkloader's; it stays"
        return
    }
    if (Test-Path -LiteralPath $to) { Remove-Item -LiteralPath $to -Force -Confirm:$false }
    if (Test-Path -LiteralPath ($to + $kept)) {
        Move-Item -LiteralPath ($to + $kept) -Destination $to -Confirm:$false
        Write-Output "$to is as it was"
    } else {
        Write-Output "$to is removed"
    }
}

function Test-Administrator {
    $me = New-Object Security.Principal.WindowsPrincipal ([Security.Principal.WindowsIdentity]::GetCurrent())
    return $me.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)
}

$places = @()
if ($System) {
    if ($Program) { throw 'Name a program, or use -System: not both.' }
    if ([IntPtr]::Size -eq 4 -and $env:PROCESSOR_ARCHITEW6432) { throw 'Use the 64-bit PowerShell: this one does not see System32.' }
    if (-not $WhatIfPreference -and -not (Test-Administrator)) { throw 'Use a PowerShell that runs as administrator: -System changes files of Windows.' }
    if ([Environment]::Is64BitOperatingSystem) {
        $places += , @('x64', (Join-Path $env:SystemRoot 'System32'))
        $places += , @('x86', (Join-Path $env:SystemRoot 'SysWOW64'))
    } else {
        $places += , @('x86', (Join-Path $env:SystemRoot 'System32'))
    }
} else {
    if (-not $Program) { throw 'Name a program: use-vkloader.ps1 C:\path\program.exe' }
    $file = (Resolve-Path -LiteralPath $Program).ProviderPath
    $directory = Split-Path -Parent $file
    if (($directory + '\').StartsWith($env:SystemRoot + '\', [StringComparison]::OrdinalIgnoreCase)) {
        throw "$directory belongs to Windows: only -System changes the loader there"
    }
    if (-not $Size -and -not $Remove) { $Size = Get-Size $file }
    $places += , @($Size, $directory)
}
if (-not $Remove) {
    foreach ($place in $places) {
        $from = Join-Path (Join-Path $here $place[0]) $name
        if (-not (Test-Path -LiteralPath $from)) { throw "$from is missing: unpack the whole archive" }
    }
}
foreach ($place in $places) {
    $what = if ($Remove) { 'Restore the vulkan-1.dll that was there' } else { "Put vkloader's vulkan-1.dll there" }
    if (-not $PSCmdlet.ShouldProcess($place[1], $what)) { continue }
    try {
        if ($Remove) { Remove-Loader $place[1] } else { Install-Loader $place[0] $place[1] }
    } catch {
        throw "$($place[1]): $_ End the programs that use the file, or use a PowerShell that runs as administrator."
    }
}
